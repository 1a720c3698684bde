"""Answers, for each string, whether the expression matches: a line of 1 and 0. Input: lines of hexadecimal UTF-16BE, of which
the first is the expression. Arguments: "re" or "icu" (PyICU), "i" to ignore case, and "time" for the processor's milliseconds that each takes, the better of two."""
import sys
from time import process_time
from timeit import repeat

expression, *strings = [
    bytes.fromhex(line).decode("utf-16-be", "surrogatepass") for line in sys.stdin.read().split("\n")
]
ignore_case = "i" in sys.argv[2:]
if sys.argv[1] == "re":
    import re

    search = re.compile(expression, re.IGNORECASE if ignore_case else 0).search
    test = lambda string: search(string) is not None
else:
    import icu

    pattern = icu.RegexPattern.compile(expression, icu.URegexpFlag.CASE_INSENSITIVE if ignore_case else 0)
    test = lambda string: pattern.matcher(icu.UnicodeString(string)).find()
if "time" in sys.argv:
    print(" ".join(str(1000 * min(repeat(lambda: test(string), timer=process_time, number=1, repeat=2))) for string in strings))
    sys.exit()
print("".join("1" if test(string) else "0" for string in strings))
