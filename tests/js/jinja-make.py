# SPDX-License-Identifier: MIT
"""Writes tests/js/jinja.json: expressions and templates with the output of Jinja 3.1, or null if Jinja refuses them.

    python3 tests/js/jinja-make.py        (needs jinja2; the test does not)
"""

import json
import pathlib

from jinja2 import nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

TEXTS = [
    "'  Hello wORLD  '", "'**a*b**'", "'\\n\\n  x\\n'", "''", "'ünïcode Straße ß'", "'a😀b'", "'it\\'s'", "'x-y (z) {w} <v>'", "'a,b,,c'",
    "'ALL'", "'one two  three '", "'line1\\nline2\\r\\nline3\\n'",
]
FILTERS = [
    'upper', 'lower', 'title', 'capitalize', 'trim', "trim('*')", 'length', 'list', 'first', 'last', 'reverse', 'string', 'tojson',
    'tojson(ensure_ascii=true)', 'indent', 'indent(2)', 'indent(2, true)', 'indent(2, true, true)', 'indent(width=3, blank=true)',
    "replace('l','L')", "replace('l','LL',1)", "replace('','-')", 'center(20)', "default('d')", "d('d', true)", 'int', 'float',
    "join('-')", 'unique|join', 'sort|join', 'safe', "map('upper')|join", 'wordcount',
]
METHODS = [
    'upper()', 'lower()', 'title()', 'capitalize()', 'swapcase()', 'strip()', 'lstrip()', 'rstrip()', "strip('*')", "lstrip('\\n')",
    "rstrip('\\n ')", "strip('ab*')", 'split()', "split(',')", "split(',',1)", 'split(None,1)', "rsplit(',',1)", 'rsplit(None,1)',
    'splitlines()', 'splitlines(true)', "startswith('  H')", "endswith(('*','c'))", "startswith(('a','*'))", "find('l')", "rfind('l')",
    "count('a')", "replace('a','AA')", "replace('a','',1)", "partition(',')", "rpartition(',')", "removeprefix('**')",
    "removesuffix('**')", 'isalpha()', 'isupper()', 'islower()', 'isdigit()', 'isspace()', 'isalnum()', "ljust(20)|replace(' ','.')",
    "rjust(20,'.')", "center(21,'.')", "join(['x','y'])",
]
SLICES = [
    '[0]', '[-1]', '[99]', '[1:]', '[:2]', '[::-1]', '[1:-1]', '[-3:]', '[5:2]', '[::2]', '[-1:-4:-1]',
]
OPERATIONS = [
    ' ~ 1', ' * 2', " + 'z'", " in 'xHello'", " == ''", " < 'b'", ' is string', ' is upper', ' is lower',
]
NUMBERS = [
    '-7', '7', '0', '-0.5', '2.5', '3.0', '1e16', '1e-5', '123456789', 'true', '0.1 + 0.2', '10 // 3',
]
OF_NUMBERS = [
    'abs', 'int', 'float', 'string', 'round', 'round(1)', "round(0,'floor')", "round(method='ceil')", 'tojson', 'default(3)',
]
SIGNS = [
    '+', '-', '*', '/', '//', '%', '**', '<', '>=', '==', '!=', '~',
]
OTHERS = [
    "('<a>' | safe) + '<b>'", "'<b>' + ('<a>' | safe)", "('<a>' | safe) ~ '<b>'", "('<a>' | safe | upper) + '<b>'", "('<a>' | safe)[1:] + '<b>'",
    "('<a> ' | safe | trim) + '\"'", "[('<a>' | safe), '<b>'] | join('<')", "('<a>' | safe).strip('<') + '&'", "'<a>' | e | e", "('<a>' | e) == '&lt;a&gt;'",
    "('<a>' | safe).split('a') | join('<')", "('<a>' | safe) | replace('a', '<') + '<'", "'<a>' | escape | string", "('<a>' | safe) | tojson", "none | e", "1 | e",
    '-7 // 2', '-7 % 3', '7 % -3', '-7.5 % 2', '2 ** 3 ** 2', '-2 ** 2', '1 + 2 * 3', '1 ~ 2 + 3', '1 + 2 ~ 3 - 1', '1 < 2 < 3',
    '3 > 2 > 2', '1 < 3 > 2', 'not 1 == 2', 'not (true and false) or false', '1 if false', '1 if true else 2',
    "'a' if none else 'b' if 1 else 'c'", 'none', 'True', '1 == true', '1 == 1.0', "'1' == 1", 'none == false', '[1,2] == [1,2]',
    '[1] == (1,)', "{'a':1} == {'a':1.0}", '[] == []', '{} == {}', '[] == none', 'undefined_name', 'undefined_name.x',
    'undefined_name|length', 'undefined_name is defined', "undefined_name ~ 'x'", "undefined_name + 'x'", "'x' in undefined_name",
    'undefined_name == undefined_other', "undefined_name|default('q')", 'undefined_name|list', 'undefined_name|upper', 'none.x',
    'none.x.y', "none['x']", 'none|length', "none + 'a'", "none ~ 'a'", 'none|string', 'none|tojson',
    "[1, 2.0, 'a', none, true, {'k': [1]}]", '(1,2)', '{\'a\': \'b\\\'c\', \'d\': "e"}', "'a\\nb\\t\\\\ \\x07 é 😀 \\u200b'|list",
    '[\'é\\n\', "it\'s", \'q"\', \'\\x00\\x7f\\xa0\\u200b😀\']', "'a' 'b'", "'%s-%d' % ('x', 3)", "'%s' % 'y'",
    "'%s and %s'|format('a', 1)", "'100%'", '[1,2,3]|sum', '[1,2.5]|sum', '[3,1,2]|sort', "['b','A','c']|sort",
    "['b','A','c']|sort(case_sensitive=true)", "['b','A','c']|sort(reverse=true)", "[{'n':2},{'n':1}]|sort(attribute='n')",
    "[{'n':2},{'n':1}]|map(attribute='n')|list", "[{'n':2},{}]|map(attribute='n', default=0)|list",
    "[{'n':2},{'n':1}]|selectattr('n','equalto',1)|list", "[{'n':2},{'n':0}]|selectattr('n')|list",
    "[{'n':2},{'n':1}]|rejectattr('n','eq',1)|list", "[1,2,3,4]|select('even')|list", "[1,2,3,4]|reject('odd')|list",
    '[1,0,2]|select|list', "[1,2,3]|select('greaterthan', 1)|list", "[1,2,3]|select('in', [1,3])|list",
    "[1,2,3]|select('divisibleby', 3)|list", "[1,1,2,'a','A']|unique|list", '[3,1]|min', '[3,1]|max', '[]|max', '[]|first', '[]|last',
    '[1,2]|join', "[1,none,'a']|join(', ')", "[{'a':1}]|join(',', attribute='a')", "[1,2]|map('string')|join", 'range(5)|list',
    'range(1,9,3)|list', 'range(5,0,-2)|list', 'range(3)[1]', 'range(10)[2:5]|list', 'range(3)|length', 'range(3)', 'range(3) + [1]',
    "{'b':1,'a':2}|dictsort", "{'b':1,'a':2,'C':3}|dictsort(by='value')", "{'b':1,'A':2}|dictsort(true)",
    "{'b':1,'A':2}|dictsort(reverse=true)", "{'a':1}.items()|list", "{'a':1}.keys()|list", "{'a':1}.values()|list", "{'a':1}|items|list",
    "{'a':1}.get('a')", "{'a':1}.get('z')", "{'a':1}.get('z', 4)", "{'a':1}.z", "{'a':1}['z']", "{'items':1}.items",
    "{'items':1}['items']", "{'get':1}['get']", "{'a':1}|length", "'a' in {'a':1}", "1 in {'a':1}", "'b' not in ['a']", '[1] in [[1]]',
    "1 in 'a'", "'a' is in ['a']", '3 is odd', '-3 is odd', '4 is even', "'x' is mapping", '{} is mapping', '[] is sequence',
    "'a' is iterable", '1 is iterable', '1 is number', 'true is number', 'true is integer', '1.0 is float', '1 is integer', '1 is float',
    'none is none', 'range is callable', "'ab' is sameas 'ab'", '1 is boolean', 'false is false', '1 is true',
    'undefined_name is undefined', 'undefined_name is none', 'undefined_name is iterable', "'trim' is filter", '[1,2,3][1:]',
    '[1,2,3][::-1]', '[1,2,3][-2:]', '[1,2,3][5]', "[1,2,3]['a']", '[1,2]+[3]', '[1]*3', '(1,)+(2,)', '[1]+(2,)', '[1].append(2)',
    '[1,2].index(2)', '[1,1].count(1)', "{'a':1}.update({'b':2})", "{'a':1}.pop('a')", 'namespace(a=1).a', 'namespace(a=1).b',
    "namespace({'x':2}).x", "namespace(a=1)['a']", 'dict(a=1)', 'dict(a=1).a', "dict({'b':2}, a=1)", '[1,2]|tojson',
    "{'a':[1,{'b':none}]}|tojson", "{'a':[1,{'b':none}],'e':[],'f':{}}|tojson(indent=2)", "{'b':1,'a':2}|tojson(sort_keys=true)",
    "{'a':1,'b':[1,2]}|tojson(separators=(',',':'))", "{'a':1}|tojson(indent=2, separators=(',',': '))", '\'é<&>"\\n\\x00\\x7f😀\'|tojson',
    '1.0|tojson', '1e300|tojson', '(1,2)|tojson', 'undefined_name|tojson', "'42abc'|int", "'3.7'|int", "'0x1f'|int(base=16)",
    "'1f'|int(0,16)", "'z'|int(7)", 'none|int', '[1]|int(5)', "' 12 '|int", "'1_000'|int", "'1e3'|float", "'abc'|float",
    "'abc'|float(2.5)", "'  -3.5 '|float", '2.675|round(2)', '0.5|round', '1.5|round', '2.5|round', '1234.5678|round(2)', '5|round',
    "'a'|default('b')", "''|default('b')", "''|default('b', true)", "none|default('b')", "false|default('b', boolean=true)", "'abc'[1]",
    "'abc'['upper']()", "'abc'|upper|lower", '-1|abs', '(-1)|abs', "'x'.__class__", "'a'.foo", "'a'.foo.bar", "'a'.format(1)", '1.5.real',
    '007', '1_000', '0x10', '1.5e3', '1e3', '-1 - -1', '+1', 'not none', "none or 'x'", "'' or []", "'a' and 'b'", '0 and 1',
    '[[1,2],[3]]|sum(start=[])', "['a','b']|reverse|list", "'abc'|reverse", "[1,2]|map('abs')|list", "{'a':{'b':3}}.a.b",
    "[{'a':{'b':3}}]|map(attribute='a.b')|list", '[[1,2]]|map(attribute=1)|list', '[1,2]|random', "'<a>'|escape", "'<a>'|e",
    '[1,2,3]|batch(2)|list', "'a b'|urlencode", "'abc def'|truncate(5)", "'a'|attr('upper')", "'a' ~ none ~ 1.0 ~ true ~ []", "'x' * -1",
    "2 * 'ab'", '1 / 3', '10 / 5', '1/0', '1%0', '2**-1', '2**0.5', '10**20', '9007199254740993', '7 // 2.0', '-7 // 2.0', '1.0 * 3',
    '1e400', '(none,)', '()', '[[]]', '{}', "'a\\\nb'", "'\\d\\q'", "'\\101'", "'\\u00e9\\U0001F600'", '"a\'b"',
]
EXPRESSIONS = [text + rest for text in TEXTS for rest in ["|" + one for one in FILTERS] + ["." + one for one in METHODS] + SLICES + OPERATIONS]
EXPRESSIONS += [f"({number})|{one}" for number in NUMBERS for one in OF_NUMBERS]
EXPRESSIONS += [f"({number}) {sign} {other}" for number in NUMBERS for other in ["3", "-3", "2.0", "-0.5"] for sign in SIGNS]
EXPRESSIONS += OTHERS
TEMPLATES = [
   
    '{% for x in [1,2,3] %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.previtem }}{{ loop.nextitem }};{% endfor %}',
    '{% set x=0 %}{% for i in [1,2,3] %}{{ x }}{% set x = i %}{{ x }}{% endfor %}{{ x }}',
    '{% set ns = namespace(x=0) %}{% for i in [1,2,3] %}{% set ns.x = ns.x + i %}{% endfor %}{{ ns.x }}',
    '{% for i in [] %}a{% else %}b{% endfor %}', '{% for i in [1] %}{% continue %}{% else %}b{% endfor %}',
    '{% for i in range(9) %}{% if i == 3 %}{% break %}{% endif %}{{ i }}{% endfor %}',
    '{% for i in range(9) if i is odd %}{{ loop.index }}{{ i }}{{ loop.last }}{% endfor %}',
    '{% for a, b in [[1,2],[3,4]] %}{{ a }}{{ b }}{% endfor %}', "{% for a, b in {'x':1}.items() %}{{ a }}{{ b }}{% endfor %}",
    "{% for k in {'x':1,'y':2} %}{{ k }}{% endfor %}", "{% for c in 'a😀b' %}[{{ c }}]{% endfor %}", '{% for c in none %}{% endfor %}',
    '{% for c in undefined_x %}q{% else %}e{% endfor %}', '{% for c in 5 %}{% endfor %}',
    '{% macro f(a, b=2, c=a) %}{{ a }}{{ b }}{{ c }}{% endmacro %}{{ f(1) }}{{ f(1, 3) }}{{ f(1, c=5) }}{{ f() }}',
    '{% macro f(a) %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ f(1,2,x=3) }}', '{% macro f(a) %}{{ a }}{% endmacro %}{{ f(1,2) }}',
    '{% macro f(a) %}{{ a }}{% endmacro %}{{ f(b=2) }}', '{% macro f() %}{{ x }}{% endmacro %}{% set x = 1 %}{{ f() }}',
    '{% macro f() %}{{ x }}{% endmacro %}{% for x in [1] %}{{ f() }}{% endfor %}',
    '{% set x=9 %}{% macro f() %}{% set x=1 %}{{ x }}{% endmacro %}{{ f() }}{{ x }}',
    '{% macro f(n) %}{% if n > 0 %}{{ n }}{{ f(n-1) }}{% endif %}{% endmacro %}{{ f(5) }}',
    '{% macro f() %}<{{ caller() }}>{% endmacro %}{% call f() %}in{% endcall %}',
    '{% macro f() %}<{{ caller(3) }}>{% endmacro %}{% call(x) f() %}{{ x }}{% endcall %}', "{% filter upper %}a{{ 'b' }}{% endfilter %}",
    '{% set x %}a{{ 1 }}{% endset %}[{{ x }}]', '{% set x, y = 1, 2 %}{{ y }}{{ x }}', '{% set x = 1, 2 %}{{ x }}',
    "{% if 0 %}a{% elif '' %}b{% elif [] %}c{% else %}d{% endif %}", '{% if none is none and not undefined_q %}y{% endif %}',
    'a\n{% if true %}\n  b\n{% endif %}\nc\n', '  {% if true %}x{% endif %}  \n  {{ 1 }}  \ny', 'a {%- if true %} b {%- endif %} c',
    'a {%- if true -%} b {%- endif -%} c', 'a\n  {#- c -#}  \n b', 'x {# c #}\ny', 'x {# c +#}\ny', '{%+ if true %}a{% endif %}',
    '   {%+ if true %}a{% endif %}', '{% if true +%}\na{% endif %}', "{{ 'a' -}}  \n b", "a  \n {{- 'b' }}",
    '{% raw %}{{ x }} {% if %}{% endraw %}z', '{%- raw -%}  {{ x }}  {%- endraw -%}  z', 'a\r\nb\rc\n\n', "{{ '{% x %}' }}", "{{ '}}' }}",
    "{{ {'a': {'b': 1}}['a'] }}", "{{ {'a':{'b':1}} }}", "{% set a = {'x': '%}'} %}{{ a.x }}", '{{ "a\n  {% b" }}',
    "{% set t = '\n    {#- keep -#}\n' %}[{{ t }}]", "{{ 'x\n' }}\n{% if true %}\n{% endif %}", '{{ 1 }}\n{% if true %}a{% endif %}',
    '{{ 1 }} {% if true %}a{% endif %}', 'x{\ny}\n{a-}\nb', '{% for i in [1] %}\n {{ i }}\n{% endfor %}\n',
    '\t{% if true %}\n\t\tx\n\t{% endif %}\n', '{# a #}\n{# b #}\nc', '{% for i in [1,2] -%}\n  {{ i }}\n{%- endfor %}',
    '{{ none }}{{ true }}{{ 1.0 }}{{ [] }}', '{% set x = 1 %}{% if true %}{% set x = 2 %}{% endif %}{{ x }}',
    '{% for i in [1] %}{% set y = 5 %}{% endfor %}{{ y }}',
    '{% for x in [1,2] %}{% for y in [1,2] %}{{ loop.index }}{% endfor %}{{ loop.index }}{% endfor %}',
    "{% for x in [1,2,2] %}{{ loop.changed(x) }}{{ loop.cycle('a','b') }}{% endfor %}", "{% if [1,2]|selectattr('x') %}gen{% endif %}",
    "{{ ([1,2]|map('abs'))|length }}",
    "{% set m = [1,2]|map('abs') %}{% for i in m %}{{ i }}{% endfor %}{% for i in m %}{{ i }}{% endfor %}", "{{ raise_exception('no') }}",
    "{% set ns = namespace() %}{{ ns.x }}{% set ns.x = 'a' %}{{ ns.x }}", '{% set d = {} %}{% set d.x = 1 %}',
    '{% set _ = [1].append(2) %}', '{{ messages }}', "{{ messages[0]['content'][:3] + messages[-1].role }}",
    '{% for m in messages %}{% if loop.previtem is defined and loop.previtem.role == m.role %}!{% endif %}{{ m.role }}{% endfor %}',
    "{% if messages|length > 1 and messages[1:]|selectattr('role','equalto','user')|list|length %}y{% endif %}",
    "{{ messages|map(attribute='role')|join(',') }}", '{% for m in messages[::-1] %}{{ m.role }}{% endfor %}',
    '{% generation %}x{% endgeneration %}', "{% include 'a' %}", '{% block a %}x{% endblock %}', '{% with a=1 %}{{ a }}{% endwith %}',
    '{% do x %}', '{{ x', '{% if %}', '{% for %}', '{% endif %}', '{{ 1 2 }}', '{{ ) }}', '{# x', "{{ 'a", '{% if 1 %}', '{{ }}',
    '{{ a.b.c }}', '{{ loop }}', '{{ self }}', '{{ f(x) }}', '{% set x = 5 %}{{ x is defined }}{{ -x }}{{ x ~ -x }}',
    "{{ 'a' if x is defined else 'b' }}{{ 'a' if x }}", "{{ ['a']|map('upper')|first }}{{ {'a':1}|list }}", "{{ '  a '|trim ~ '|' }}",
    '{{ messages[0].content|trim|length }}',
    "{% for m in messages %}{{ m['role']|capitalize }}: {{ m['content']|trim }}{{ '\\n' if not loop.last else '' }}{% endfor %}",
]


class Generation(Extension):
    """Adds the tag `generation` of the package transformers. The tag does not change the output."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return nodes.CallBlock(self.call_method("_support"), [], [], body).set_lineno(line)

    def _support(self, caller):
        return caller()


def refuse(reason):
    raise ValueError(reason)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


ENVIRONMENT = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, Generation])
ENVIRONMENT.filters["tojson"] = tojson
ENVIRONMENT.globals.update(raise_exception=refuse)
MESSAGES = [{"role": "user", "content": '  Hi "you" \u00e9 '}, {"role": "assistant", "content": "Yes"}, {"role": "user", "content": "Bye"}]
VALUES = dict(messages=MESSAGES, tools=None, documents=None, add_generation_prompt=True, bos_token="<s>", eos_token="</s>")


def rendered(template):
    try:
        text = ENVIRONMENT.from_string(template).render(**VALUES)
    except Exception:
        return None
    return None if " at 0x" in text else text  # the text contains the address of an object, which differs in each run


if __name__ == "__main__":
    templates = ["{{ " + one + " }}" for one in EXPRESSIONS if "|random" not in one] + TEMPLATES
    golden = {"messages": MESSAGES, "cases": [[one, rendered(one)] for one in templates]}
    pathlib.Path(__file__).with_name("jinja.json").write_text(json.dumps(golden, ensure_ascii=False, indent=0) + "\n")
