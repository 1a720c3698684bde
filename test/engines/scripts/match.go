// Answers, for each string, whether the expression matches: a line of 1 and 0. Input: lines of hexadecimal UTF-16BE, of which
// the first is the expression.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"unicode/utf16"
)

func decode(line string) string {
	bytes, _ := hex.DecodeString(line)
	units := make([]uint16, len(bytes)/2)
	for i := range units {
		units[i] = uint16(bytes[2*i])<<8 | uint16(bytes[2*i+1])
	}
	return string(utf16.Decode(units))
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	lines.Scan()
	expression := regexp.MustCompile(decode(lines.Text()))
	for lines.Scan() {
		if expression.MatchString(decode(lines.Text())) {
			fmt.Print(1)
		} else {
			fmt.Print(0)
		}
	}
}
