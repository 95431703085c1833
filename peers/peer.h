#ifndef PEERS_PEER_H
#define PEERS_PEER_H

/**
 * peer_listen() - What the peers in C do first: take --port and listen on 127.0.0.1.
 * @name: of the program, for messages.
 *
 * Return: a non-blocking listening socket. Ends the program after --help, or after a message
 *   when there can be no socket.
 */
int peer_listen(const char *name, int argc, char **argv);

#endif
