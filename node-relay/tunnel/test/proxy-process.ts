/** A process between one connection and the gateway, for tests that kill or stop it. */
import { connect, type Socket } from 'node:net';

process.on('message', (port, handle) => {
  const socket = handle as Socket; // What proxy.ts sends.
  const onward = connect(Number(port), '127.0.0.1');
  onward.on('error', () => socket.destroy());
  socket.on('error', () => onward.destroy());
  socket.pipe(onward).pipe(socket);
});
process.send?.('ready');
