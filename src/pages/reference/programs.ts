/** Programs that use the expression, one a language; tests run those whose language is installed. */
import type { Snippet } from "../snippet.ts";

/** A program, and what runs it from a file of this name. */
export interface Program extends Snippet {
  readonly file: string;
}

/** Writes the programs for a service at `origin`, such as `http://localhost:8080`. Each prints `true`. */
export function toPrograms(origin: string): readonly Program[] {
  const address = `${origin}/RestService/RegExp`;
  return [
    {
      title: "JavaScript",
      file: "crawlers.mjs",
      code: `const response = await fetch("${address}?flavor=split");
const parts = (await response.text()).split("\\n").map((part) => new RegExp(part));
const isCrawler = (useragent) => parts.some((part) => part.test(useragent));

console.log(isCrawler("curl/8.5.0"));
`,
    },
    {
      title: "Python",
      file: "crawlers.py",
      code: `import re
from urllib.request import urlopen

with urlopen("${address}") as response:
    crawler = re.compile(response.read().decode())

print(str(crawler.search("curl/8.5.0") is not None).lower())
`,
    },
    {
      title: "Go",
      file: "crawlers.go",
      code: `package main

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
)

func main() {
	response, err := http.Get("${address}")
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	expression, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	crawler := regexp.MustCompile(string(expression))
	fmt.Println(crawler.MatchString("curl/8.5.0"))
}
`,
    },
    {
      title: "Java",
      file: "Crawlers.java",
      code: `import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Pattern;

class Crawlers {
    public static void main(String[] arguments) throws Exception {
        var request = HttpRequest.newBuilder(URI.create("${address}")).build();
        var response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
        var crawler = Pattern.compile(response.body());
        System.out.println(crawler.matcher("curl/8.5.0").find());
    }
}
`,
    },
    {
      title: "PHP",
      file: "crawlers.php",
      code: `<?php
$expression = file_get_contents("${address}");
$crawler = "~" . str_replace("~", "\\\\~", $expression) . "~";

echo preg_match($crawler, "curl/8.5.0") === 1 ? "true" : "false", "\\n";
`,
    },
    {
      title: "Ruby",
      file: "crawlers.rb",
      code: `require "net/http"

crawler = Regexp.new(Net::HTTP.get(URI("${address}")))

puts crawler.match?("curl/8.5.0")
`,
    },
    {
      title: "Rust",
      file: "crawlers.rs",
      code: `// Dependencies: regex 1.8, ureq 3
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let expression = ureq::get("${address}").call()?.body_mut().read_to_string()?;
    let crawler = regex::Regex::new(&expression)?;
    println!("{}", crawler.is_match("curl/8.5.0"));
    Ok(())
}
`,
    },
    {
      title: "Shell",
      file: "crawlers.sh",
      code: `curl -s '${address}' > crawlers.txt
printf 'curl/8.5.0\\n' | grep -qPf crawlers.txt && echo true
`,
    },
    {
      title: "PostgreSQL",
      file: "crawlers-postgresql.sh",
      code: `psql -At -v crawler="$(curl -s '${address}')" << 'SQL'
SELECT ('curl/8.5.0' ~ :'crawler')::text;
SQL
`,
    },
    {
      title: "nginx",
      file: "crawlers-nginx.sh",
      code: `# Defines $is_crawler (0, 1) and $crawler_category in the http block.
npx whocrawls export nginx > /etc/nginx/conf.d/crawlers.conf
nginx -t && nginx -s reload
`,
    },
  ];
}
