const response = await fetch("http://localhost:8080/RestService/RegExp?flavor=split");
const parts = (await response.text()).split("\n").map((part) => new RegExp(part));
const isCrawler = (useragent) => parts.some((part) => part.test(useragent));

console.log(isCrawler("curl/8.5.0"));
