"""Eight threads ask at the same time from the beginning, and change turns all the time; prints how many verdicts differ from later ones."""

import json
import sys
import threading

from whocrawls import check

useragents = json.load(sys.stdin)
verdicts = []
sys.setswitchinterval(1e-6)
start = threading.Barrier(8)


def ask():
    start.wait()
    verdicts.append([check(useragent) for useragent in useragents])


threads = [threading.Thread(target=ask) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
expected = [check(useragent) for useragent in useragents]
print(sum(one != other for asked in verdicts for one, other in zip(asked, expected)) + 8 - len(verdicts))
