// Client requests a page five times at once: client ADDRESS PORT
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
)

func main() {
	answers := make(chan string)
	for i := 0; i < 5; i++ {
		go func() {
			answer, err := http.Get("http://" + os.Args[1] + ":" + os.Args[2] + "/")
			if err != nil {
				answers <- err.Error()
				return
			}
			text, _ := io.ReadAll(answer.Body)
			answers <- string(text)
		}()
	}
	for i := 0; i < 5; i++ {
		fmt.Print(<-answers)
	}
}
