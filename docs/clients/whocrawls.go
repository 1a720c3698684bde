package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"
)

const service = "http://localhost:8080"

var client = http.Client{Timeout: 500 * time.Millisecond}

func check(useragent string) (verdict map[string]any) {
	body, _ := json.Marshal(map[string]string{"useragent": useragent})
	request, _ := http.NewRequest("POST", service+"/RestService/Check", bytes.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	request.Header["Idempotency-Key"] = nil // Not sent; sends again if the service has closed the connection.
	answer, err := client.Do(request)
	if err == nil {
		defer answer.Body.Close()
		json.NewDecoder(answer.Body).Decode(&verdict)
	}
	return
}

func isCrawler(useragent string) bool {
	crawler, isKnown := check(useragent)["crawler"].(bool)
	return isKnown && crawler // Fail open. Fail closed: !isKnown || crawler
}
