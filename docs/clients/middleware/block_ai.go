package main

import "net/http"
import "example.org/crawlers/whocrawls"

func blockAI(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" && whocrawls.Check(r.UserAgent()).Category == "ai" {
			http.Error(w, "AI crawlers are not allowed.", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
