# SPDX-License-Identifier: MIT
"""Makes variants of a German-English sentence pair, with another name, place, day or number on both sides.

A translator should learn the pattern of a sentence, not that Tom is in Boston at half past two. A word that belongs to one of the classes
below is replaced on both sides by another word of its class. The word must occur once in the German sentence, and its translation must
occur once in the English sentence.
"""
import random
import re

TOKEN = re.compile(r"\d+|[^\W\d_]+")

MEN = "Tom John Paul Max Peter Felix Leon David Daniel Martin Michael Robert Karl Oskar Emil Anton Simon Jonathan Christian Stefan Andreas Minho Jihun Ali Ahmed Omar Ivan Marco Pedro Kenji Henri Jan Ben Noah Luca Finn".split()
WOMEN = "Mary Maria Anna Lisa Julia Laura Sara Sophie Emma Lena Nina Clara Eva Sandra Martina Katharina Petra Monika Sabine Mina Yuna Jiwoo Fatima Aylin Olga Lucia Elena Yuki Marie Hanna Mia Lea".split()
SURNAMES = "Jackson Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Hoffmann Koch Bauer Richter Klein Wolf Schröder Neumann Braun Krüger Lange Kim Lee Choi Smith Brown Miller Taylor Garcia Silva Rossi Yılmaz Kaya Tanaka Sato Wang".split()


def same(words):
    return [(word, word) for word in words]


def pairs(text):
    """"a=b c" -> [("a", "b"), ("c", "c")]"""
    return [tuple(part.replace("_", " ").split("=")) if "=" in part else (part, part) for part in text.split()]


ONES = pairs("zwei=two drei=three vier=four fünf=five sechs=six sieben=seven acht=eight neun=nine zehn=ten elf=eleven zwölf=twelve")
TEENS = pairs("dreizehn=thirteen vierzehn=fourteen fünfzehn=fifteen sechzehn=sixteen siebzehn=seventeen achtzehn=eighteen neunzehn=nineteen")
TENS = pairs("zwanzig=twenty dreißig=thirty vierzig=forty fünfzig=fifty sechzig=sixty siebzig=seventy achtzig=eighty neunzig=ninety")
COMPOUND = [(one + "und" + ten, tens + "-" + ones) for ten, tens in TENS for one, ones in [("ein", "one")] + ONES[:8]]
CLASSES = {
    "man": same(MEN) + [("Johannes", "John")],
    "woman": same(WOMEN) + [("Maria", "Mary")],
    "surname": same(SURNAMES),
    "city": pairs("Boston London Paris Berlin Hamburg München=Munich Köln=Cologne Frankfurt Stuttgart Dresden Leipzig Bremen Hannover=Hanover Nürnberg=Nuremberg Wien=Vienna Zürich=Zurich "
                  "Genf=Geneva Basel Bern Salzburg Rom=Rome Mailand=Milan Venedig=Venice Florenz=Florence Madrid Barcelona Lissabon=Lisbon Brüssel=Brussels Amsterdam Kopenhagen=Copenhagen "
                  "Stockholm Oslo Helsinki Warschau=Warsaw Prag=Prague Budapest Athen=Athens Moskau=Moscow Istanbul Kairo=Cairo Seoul Busan Tokio=Tokyo Kyoto Osaka Peking=Beijing Shanghai "
                  "Bangkok Chicago Washington Toronto Sydney Dublin"),
    "country": pairs("Deutschland=Germany Österreich=Austria Frankreich=France Italien=Italy Spanien=Spain Portugal England Irland=Ireland Schottland=Scotland Schweden=Sweden Norwegen=Norway "
                     "Dänemark=Denmark Finnland=Finland Polen=Poland Ungarn=Hungary Griechenland=Greece Russland=Russia Ägypten=Egypt Indien=India China Japan Korea Südkorea=South_Korea "
                     "Vietnam Thailand Kanada=Canada Mexiko=Mexico Brasilien=Brazil Argentinien=Argentina Australien=Australia Amerika=America Europa=Europe Afrika=Africa"),
    "language": pairs("Deutsch=German Englisch=English Französisch=French Spanisch=Spanish Italienisch=Italian Japanisch=Japanese Koreanisch=Korean Chinesisch=Chinese Russisch=Russian "
                      "Türkisch=Turkish Arabisch=Arabic Polnisch=Polish Portugiesisch=Portuguese Niederländisch=Dutch Schwedisch=Swedish"),
    "day": pairs("Montag=Monday Dienstag=Tuesday Mittwoch=Wednesday Donnerstag=Thursday Freitag=Friday Samstag=Saturday Sonntag=Sunday"),
    "month": pairs("Januar=January Februar=February März=March April Mai=May Juni=June Juli=July August September Oktober=October November Dezember=December"),
    "small": ONES,
    "large": TEENS + TENS + COMPOUND,
    "he": pairs("Bruder=brother Vater=father Sohn=son Onkel=uncle Großvater=grandfather Freund=friend Opa=grandpa Lehrer=teacher Chef=boss Mann=husband"),
    "she": pairs("Schwester=sister Mutter=mother Tochter=daughter Tante=aunt Großmutter=grandmother Oma=grandma Frau=wife"),
}
CLASS_OF = {german: (name, english) for name in reversed(list(CLASSES)) for german, english in CLASSES[name]}
GENITIVE = ("man", "woman")              # Toms Hund, Tom's dog
UNCERTAIN = re.compile(r"\b(halb|viertel|dreiviertel|half|quarter|past|to [a-z]+ o'clock)\b", re.I)


def english_at(word, text):
    return [m for m in re.finditer(r"(?<![^\W_])%s(?![^\W_]|-)" % re.escape(word), text)]


def places(german, english):
    """Returns [(class, span in the German sentence, span in the English sentence, whether it is a genitive)] of replaceable words"""
    found = []
    for token in TOKEN.finditer(german):
        word = token.group()
        for form, genitive in ((word, False), (word[:-1], True)):
            if genitive and not word.endswith("s") or form not in CLASS_OF or genitive and CLASS_OF[form][0] not in GENITIVE:
                continue
            name, other = CLASS_OF[form]
            if name in ("small", "large") and UNCERTAIN.search(german + " " + english):
                continue
            there = english_at(other, english)
            if len(there) == 1 and len(re.findall(r"(?<![^\W\d_])%s(?![^\W\d_])" % word, german)) == 1 and english[there[0].end():].startswith("'s") >= genitive:
                found.append((name, token.span(), there[0].span(), genitive))
                break
        if word.isdigit() and len(re.findall(r"(?<!\d)%s(?!\d)" % word, english)) == 1 == len(re.findall(r"(?<!\d)%s(?!\d)" % word, german)):
            if not re.search(r"\d[.,:]\d|\d\.", german + english):
                found.append((len(word), token.span(), re.search(r"(?<!\d)%s(?!\d)" % word, english).span(), False))
    return found


def number(digits, rng, clock):
    """Returns another number with the same number of digits; years remain years."""
    if clock:
        return str(rng.randrange(2, 13))
    if digits == 4:
        return str(rng.randrange(1900, 2031))
    return str(rng.randrange(2 if digits == 1 else 10 ** (digits - 1), 10 ** digits))


def swapped(german, english, rng):
    """Returns the pair with all replaceable words replaced, or None if there are none"""
    some = places(german, english)
    if not some:
        return None
    clock = "Uhr" in german
    sides = [german, english]
    edits = ([], [])
    for name, *spans, genitive in some:
        if isinstance(name, int):
            value = number(name, rng, clock)
            new = (value, value)
        else:
            new = rng.choice(CLASSES[name])
            if genitive:
                if new[0].endswith(("s", "x", "z")):
                    return None
                new = (new[0] + "s", new[1])
        for edit, span, text in zip(edits, spans, new):
            edit.append((span, text))
    for side, edit in enumerate(edits):
        edit.sort(reverse=True)
        if any(a[0][0] < b[0][1] for a, b in zip(edit, edit[1:])):
            return None
        for (start, end), text in edit:
            upper = sides[side][start].isupper() and start == 0
            sides[side] = sides[side][:start] + (text[:1].upper() + text[1:] if upper else text) + sides[side][end:]
    return tuple(sides)
