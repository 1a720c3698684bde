// For bench/standalone.ts: microseconds a string of each contender, as JSON. Arguments: a JSON file of sets of strings by name; the expression.
package main

import (
	"encoding/json"
	"os"
	"regexp"
	"syscall"

	"example.org/crawlers/whocrawls"
)

func cpuMicroseconds() float64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Sec)*1e6 + float64(usage.Utime.Usec)
}

func main() {
	var sets map[string][]string
	data, _ := os.ReadFile(os.Args[1])
	json.Unmarshal(data, &sets)
	text, _ := os.ReadFile(os.Args[2])
	expression := regexp.MustCompile(string(text))
	contenders := map[string]func(string){
		"IsCrawler":               func(useragent string) { whocrawls.IsCrawler(useragent) },
		"Check":                   func(useragent string) { whocrawls.Check(useragent) },
		"our expression (regexp)": func(useragent string) { expression.MatchString(useragent) },
	}
	times := map[string]map[string]float64{}
	for name := range contenders {
		times[name] = map[string]float64{}
	}
	for kind, strings := range sets {
		for round := 0; round < 6; round++ {
			for name, contender := range contenders {
				// Over and over for 20 ms.
				begin, now, passes := cpuMicroseconds(), 0.0, 0.0
				for now < begin+20_000 {
					for _, useragent := range strings {
						contender(useragent)
					}
					passes++
					now = cpuMicroseconds()
				}
				time := (now - begin) / passes / float64(len(strings))
				if round == 1 || time < times[name][kind] {
					times[name][kind] = time
				}
			}
		}
	}
	json.NewEncoder(os.Stdout).Encode(times)
}
