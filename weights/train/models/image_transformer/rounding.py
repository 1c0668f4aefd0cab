"""What attention carries, rounded in training as the engine rounds it where a file has it in Q8_0 (see common/rounding.py)."""
from common.rounding import ENGINE, LIVE, straight_through


def round_attention(model):
    """From now on the model rounds what attention carries, as the engine does: inputs a position, values a head of a position."""
    def live(module, inputs):
        return (straight_through(inputs[0], LIVE),)

    def cached(module, inputs, value):
        return straight_through(value, ENGINE, model.c.head_count)
    for name, module in model.named_modules():
        if name.endswith(("attn_v", "attn_output")):
            module.register_forward_pre_hook(live)
        if name.endswith("attn_v"):
            module.register_forward_hook(cached)
        if hasattr(module, "separate"):
            module.separate = True
