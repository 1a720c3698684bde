// Prints the verdict on each line of standard input: bytes in base64, or null. With arguments, eight goroutines ask at the same time.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"sync"

	"example.org/crawlers/whocrawls"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	var useragents []string
	for lines.Scan() {
		useragent := []byte{} // A missing header is the empty string in Go.
		if lines.Text() != "null" {
			useragent, _ = base64.StdEncoding.DecodeString(lines.Text())
		}
		useragents = append(useragents, string(useragent))
	}
	askers := 1
	if len(os.Args) > 1 {
		askers = 8
	}
	verdicts := make([][]whocrawls.Verdict, askers)
	var group sync.WaitGroup
	for asker := range verdicts {
		group.Add(1)
		go func(asker int) {
			defer group.Done()
			for _, useragent := range useragents {
				verdicts[asker] = append(verdicts[asker], whocrawls.Check(useragent))
			}
		}(asker)
	}
	group.Wait()
	for at, verdict := range verdicts[0] {
		useragent := useragents[at]
		if whocrawls.IsCrawler(useragent) != verdict.Crawler || whocrawls.IsCrawlerBytes([]byte(useragent)) != verdict.Crawler {
			panic(useragent)
		}
		for _, other := range verdicts {
			if !reflect.DeepEqual(other[at], verdict) {
				panic(useragent)
			}
		}
		line, _ := json.Marshal(verdict)
		fmt.Println(string(line))
	}
}
