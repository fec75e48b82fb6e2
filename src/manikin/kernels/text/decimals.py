"""Decimal numbers from text, as fast as it can be read: motion capture files are a million of them.

A number of at most 2⁵³ in digits, and at most 22 places after the point or powers of ten, is one exact integer
divided or multiplied by one exact power of ten: IEEE arithmetic rounds that once, so the result is the nearest
double, the same that every correct reader gives (Clinger 1990). Anything else is left to the caller.
"""

from __future__ import annotations

from manikin.kernels.jit import kernel


@kernel(entry="u1[:], f8[:], f8[:] -> i8", exact=True)
def decimals(text, powers, out):
    """Write the numbers in ``text``, bytes between white space, to ``out``; how many, or −1 − the place of one
    that is not plain, or that ``out`` has no room for. ``powers`` are 10⁰ … 10²².
    """
    size = text.shape[0]
    count = 0
    place = 0
    while True:
        while place < size and text[place] <= 32:
            place += 1
        if place == size:
            return count
        begin = place
        negative = text[place] == 45
        if negative or text[place] == 43:
            place += 1
        value = 0
        digits = 0
        after = 0
        point = False
        while place < size:
            c = text[place]
            if c >= 48 and c <= 57:
                value = value * 10 + (c - 48)
                digits += 1
                if point:
                    after += 1
                if value > 9007199254740992:
                    return -1 - begin
            elif c == 46 and not point:
                point = True
            else:
                break
            place += 1
        if digits == 0 or count == out.shape[0]:
            return -1 - begin
        if place < size and (text[place] == 101 or text[place] == 69):
            place += 1
            down = place < size and text[place] == 45
            if down or (place < size and text[place] == 43):
                place += 1
            exponent = 0
            digits = 0
            while place < size and text[place] >= 48 and text[place] <= 57 and exponent < 100:
                exponent = exponent * 10 + (text[place] - 48)
                digits += 1
                place += 1
            if digits == 0:
                return -1 - begin
            after += exponent if down else -exponent
        if (place < size and text[place] > 32) or after > 22 or after < -22:
            return -1 - begin
        number = float(value)
        if after > 0:
            number = number / powers[after]
        elif after < 0:
            number = number * powers[-after]
        out[count] = -number if negative else number
        count += 1
