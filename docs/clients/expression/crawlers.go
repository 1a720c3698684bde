package main

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
)

func main() {
	response, err := http.Get("http://localhost:8080/RestService/RegExp")
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
