"""Writes logs in random formats of nginx and Apache, as JSON: the format string, and lines with the values that they were made of.

Written without a look at the reader: what the servers' manuals say of each variable. Usage: write_logs.py SEED FORMATS LINES
"""
import datetime
import json
import random
import sys

seed, formats, lines = (int(argument) for argument in sys.argv[1:])
random.seed(seed)

AGENTS = [
    "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [FBAN/FBIOS;FBAV/1.0]",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "curl/8.5.0",
    "python-requests/2.31.0",
    'Odd "quoted" Bot/1.0 | 200 12',
    "Bot, with; commas, 404 7 and 10/Oct/2000:13:55:36 -0700",
    "-",
]
PATHS = ["/", "/robots.txt", "/a/b?c=d&e=200", "/caf%C3%A9/x", "/" + "x" * 300, "/200"]
ZONES = [0, 120, -300, 330]


def escape(text):
    """As nginx and Apache escape quotation marks."""
    return text.replace("\\", "\\x5C").replace('"', "\\x22")


def local(moment):
    return moment.strftime("%d/%b/%Y:%H:%M:%S %z")


# name: (nginx, apache, how the value is written, the field and its value for the reader)
def values():
    zone = datetime.timezone(datetime.timedelta(minutes=random.choice(ZONES)))
    moment = datetime.datetime.fromtimestamp(random.randrange(1_600_000_000, 1_800_000_000), zone)
    return {
        "moment": moment,
        "address": random.choice(["192.0.2.1", "2001:db8::7", "203.0.113.255"]),
        "user": random.choice(["-", "jane"]),
        "method": random.choice(["GET", "POST", "HEAD"]),
        "path": random.choice(PATHS),
        "status": random.choice(["200", "304", "404", "503"]),
        "bytes": random.choice(["0", "12", "5000000"]),
        "referrer": random.choice(["-", "https://example.com/a?b=c"]),
        "useragent": random.choice(AGENTS),
        "seconds": random.choice(["0.003", "12.5"]),
        "upstream": random.choice(["0.001", "0.001, 0.002", "0.001, 0.002 : 0.003", "-"]),
    }


NGINX = {
    "address": ("$remote_addr", lambda v: v["address"]),
    "user": ("$remote_user", lambda v: v["user"]),
    "time": ("$time_local", lambda v: local(v["moment"])),
    "iso": ("$time_iso8601", lambda v: v["moment"].isoformat()),
    "msec": ("$msec", lambda v: f"{int(v['moment'].timestamp())}.123"),
    "request": ("$request", lambda v: f"{v['method']} {v['path']} HTTP/1.1"),
    "path": ("$request_uri", lambda v: v["path"]),
    "split": ("$uri$is_args$args", lambda v: v["path"]),
    "status": ("$status", lambda v: v["status"]),
    "bytes": ("$body_bytes_sent", lambda v: v["bytes"]),
    "referrer": ("$http_referer", lambda v: v["referrer"]),
    "useragent": ("$http_user_agent", lambda v: escape(v["useragent"])),
    "seconds": ("$request_time", lambda v: v["seconds"]),
    "upstream": ("$upstream_response_time", lambda v: v["upstream"]),
    "fixed": ("${host}", lambda v: "www.example.com"),
}
APACHE = {
    "address": ("%h", lambda v: v["address"]),
    "user": ("%u", lambda v: v["user"]),
    "time": ("%t", lambda v: f"[{local(v['moment'])}]"),
    "strftime": ("%{%Y-%m-%d %H:%M:%S %z}t", lambda v: v["moment"].strftime("%Y-%m-%d %H:%M:%S %z")),
    "german": ("%{%d.%m.%Y %T}t", lambda v: v["moment"].astimezone(datetime.timezone.utc).strftime("%d.%m.%Y %H:%M:%S")),
    "ctime": ("%{%a %b %d %H:%M:%S %Y}t", lambda v: v["moment"].astimezone(datetime.timezone.utc).strftime("%a %b %d %H:%M:%S %Y")),
    "seconds": ("%T", lambda v: v["seconds"]),
    "request": ("%r", lambda v: f"{v['method']} {v['path']} HTTP/1.1"),
    "split": ("%m %U%q %H", lambda v: f"{v['method']} {v['path']} HTTP/1.1"),
    "status": ("%>s", lambda v: v["status"]),
    "bytes": ("%B", lambda v: v["bytes"]),
    "referrer": ("%{Referer}i", lambda v: v["referrer"]),
    "useragent": ("%{User-Agent}i", lambda v: escape(v["useragent"])),
}
TIMES = {"time", "iso", "msec", "strftime", "german", "ctime"}
REQUESTS = {"request", "path", "split"}
# What the server writes with blanks, and an unquoted user agent that would swallow them, needs quotation marks.


def draw(table):
    names = [name for name in table if name not in TIMES | REQUESTS and random.random() < 0.7]
    names += [random.choice([name for name in table if name in TIMES])]
    names += [random.choice([name for name in table if name in REQUESTS])]
    for name in ("useragent", "status"):
        if name not in names:
            names.append(name)
    random.shuffle(names)
    return names


def quoted(name):
    style = random.random()
    if name == "time" or style < 0.4:
        return ("", "")
    return ('"', '"') if style < 0.85 or name != "useragent" else ("[", "]")


result = []
for _ in range(formats):
    table = random.choice([NGINX, APACHE])
    names = draw(table)
    marks = [quoted(name) for name in names]
    separator = random.choice([" ", " ", " ", "\t", " | "])
    text = separator.join(a + table[name][0] + b for name, (a, b) in zip(names, marks))
    if table is APACHE:
        text = text.replace('"', '\\"') if random.random() < 0.3 else text
    rows = []
    for _ in range(lines):
        v = values()
        line = separator.join(a + table[name][1](v) + b for name, (a, b) in zip(names, marks))
        fields = {name: v[name] for name in ("status", "bytes", "address", "referrer", "useragent") if name in names}
        fields["path"] = v["path"]
        fields["time"] = int(v["moment"].timestamp())
        rows.append([line, fields])
    result.append([text, rows])
print(json.dumps(result))
