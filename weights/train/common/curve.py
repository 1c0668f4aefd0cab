# SPDX-License-Identifier: MIT
"""Draws a curve of losses as one line of text, or as a small SVG."""

BARS = "▁▂▃▄▅▆▇█"


def thinned(values, width):
    """Returns at most `width` of the values, evenly spaced, including the last one."""
    if len(values) <= width:
        return values
    return [values[(i + 1) * len(values) // width - 1] for i in range(width)]


def text(values, width=40):
    """Returns one bar per value. The lowest bar stands for the smallest value. The highest bar stands for the largest value after the first
    tenth, because a loss starts much higher."""
    values = thinned(values, width)
    if not values:
        return ""
    low, high = min(values), max(values[len(values) // 10:])
    return "".join(BARS[min(7, int(8 * (v - low) / (high - low + 1e-12)))] for v in values)


def svg(curves, width=480, height=240):
    """Draws an SVG with one line per curve. curves: {name: [(minutes, loss)]}"""
    colours = ("#0b6", "#c33", "#36c", "#c80", "#849", "#077")
    points = [p for line in curves.values() for p in line[len(line) // 10:]]
    if not points:
        return "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d'/>" % (width, height)
    right, low, high = max(p[0] for p in points), min(p[1] for p in points), max(p[1] for p in points)
    at = lambda p: "%.1f,%.1f" % (40 + (width - 50) * p[0] / (right or 1), 10 + (height - 40) * (high - min(p[1], high)) / (high - low or 1))
    parts = ["<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif' font-size='10'>" % (width, height)]
    for i, (name, line) in enumerate(curves.items()):
        colour = colours[i % len(colours)]
        parts.append("<polyline fill='none' stroke='%s' points='%s'/>" % (colour, " ".join(map(at, line))))
        parts.append("<text x='%d' y='%d' fill='%s' text-anchor='end'>%s</text>" % (width - 10, 20 + 12 * i, colour, name))
    parts.append("<text x='2' y='16'>%.4g</text><text x='2' y='%d'>%.4g</text>" % (high, height - 30, low))
    parts.append("<text x='%d' y='%d' text-anchor='end'>%.4g min</text></svg>" % (width - 10, height - 8, right))
    return "\n".join(parts) + "\n"
