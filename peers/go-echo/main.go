// The routes of http-hello and http-json in Go's echo.
package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"

	"github.com/labstack/echo"
)

type message struct {
	Message string `json:"message"`
}

type repository struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

type pkg struct {
	Name        string     `json:"name"`
	Version     string     `json:"version"`
	Description string     `json:"description"`
	Main        string     `json:"main"`
	Repository  repository `json:"repository"`
	Author      string     `json:"author"`
	License     string     `json:"license"`
}

func findOne() *pkg {
	return &pkg{
		Name:        "rpc-server-benchmark",
		Version:     "1.0.0",
		Description: "The same reply from every protocol.",
		Main:        "index.js",
		Repository: repository{
			Type: "git",
			URL:  "git+https://example.org/rpcbench/rpc-server-benchmark.git#v1",
		},
		Author:  "rpcbench-dev",
		License: "MIT",
	}
}

func main() {
	port := flag.Int("port", 0, "port on 127.0.0.1, 0 = any free")
	threads := flag.Int("threads", 1, "GOMAXPROCS")
	flag.Parse()
	runtime.GOMAXPROCS(*threads)

	e := echo.New()
	e.HideBanner = true
	e.HidePort = true
	e.GET("/", func(c echo.Context) error {
		return c.String(http.StatusOK, "Hello world")
	})
	e.GET("/plaintext", func(c echo.Context) error {
		return c.String(http.StatusOK, "Hello, World!")
	})
	e.GET("/json", func(c echo.Context) error {
		reply := &message{Message: "Hello, World!"}
		if text := c.QueryParam("message"); text != "" {
			reply.Message = text
		}
		return c.JSON(http.StatusOK, reply)
	})
	e.GET("/test", func(c echo.Context) error {
		reply := findOne()
		if name := c.QueryParam("name"); name != "" {
			reply.Name = name
		}
		return c.JSON(http.StatusOK, reply)
	})

	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", *port))
	if err != nil {
		fmt.Fprintln(os.Stderr, "go-echo:", err)
		os.Exit(1)
	}
	e.Listener = listener
	fmt.Printf("READY port=%d\n", listener.Addr().(*net.TCPAddr).Port)
	fmt.Fprintln(os.Stderr, "go-echo:", e.Start(""))
	os.Exit(1)
}
