/** Sockets to a Cassandra server: dialled by the host, inside TLS where the connection asks for it. */
export { openSocket } from '../tls-socket.ts';
