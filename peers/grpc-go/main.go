// Unpkg.FindOne in grpc-go.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"runtime"

	"google.golang.org/grpc"

	"unpkg"
)

type server struct {
	unpkg.UnimplementedUnpkgServer
}

func (*server) FindOne(context.Context, *unpkg.FindOneRequest) (*unpkg.FindOneResponse, error) {
	return &unpkg.FindOneResponse{
		Name:        "rpc-server-benchmark",
		Version:     "1.0.0",
		Description: "The same reply from every protocol.",
		Main:        "index.js",
		Repository: &unpkg.Repository{
			Type: "git",
			Url:  "git+https://example.org/rpcbench/rpc-server-benchmark.git#v1",
		},
		Author:  "rpcbench-dev",
		License: "MIT",
	}, nil
}

func main() {
	port := flag.Int("port", 0, "port on 127.0.0.1, 0 = any free")
	threads := flag.Int("threads", 1, "GOMAXPROCS")
	flag.Parse()
	runtime.GOMAXPROCS(*threads)

	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", *port))
	if err != nil {
		fmt.Fprintln(os.Stderr, "grpc-go:", err)
		os.Exit(1)
	}
	s := grpc.NewServer()
	unpkg.RegisterUnpkgServer(s, &server{})
	fmt.Printf("READY port=%d\n", listener.Addr().(*net.TCPAddr).Port)
	fmt.Fprintln(os.Stderr, "grpc-go:", s.Serve(listener))
	os.Exit(1)
}
