# SPDX-License-Identifier: MIT
"""A command-line parser. Each error message is one sentence that names the mistake and what the user probably meant."""
import argparse
import difflib


class Parser(argparse.ArgumentParser):
    def __init__(self, description=None, **kwargs):
        super().__init__(description=description, formatter_class=argparse.RawDescriptionHelpFormatter, **kwargs)

    def error(self, message):
        options = [option for action in self._actions for option in action.option_strings if option.startswith("--")]
        unknown = message[len("unrecognized arguments: "):].split() if message.startswith("unrecognized arguments: ") else []
        close = difflib.get_close_matches(unknown[0].split("=")[0], options, 1, 0.7) if unknown else []
        self.exit(2, "%s: %s%s; --help says more\n" % (self.prog, message, " (is %s meant?)" % close[0] if close else ""))
