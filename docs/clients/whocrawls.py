import json
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

url = urlsplit("http://localhost:8080")
service = (HTTPSConnection if url.scheme == "https" else HTTPConnection)(url.netloc, timeout=0.5)


def check(useragent):
    body, headers = json.dumps({"useragent": useragent}), {"Content-Type": "application/json"}
    for _ in range(2):
        try:
            service.request("POST", f"{url.path}/RestService/Check", body, headers)
            return json.load(service.getresponse())
        except (OSError, HTTPException, ValueError) as error:
            service.close()
            if isinstance(error, TimeoutError):
                break
    return {}


def is_crawler(useragent):
    return check(useragent).get("crawler", False)  # False: fail open. True: fail closed.
