import re
from urllib.request import urlopen

with urlopen("http://localhost:8080/RestService/RegExp") as response:
    crawler = re.compile(response.read().decode())

print(str(crawler.search("curl/8.5.0") is not None).lower())
