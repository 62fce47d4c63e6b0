/** Sockets to a PostgreSQL server: dialled by the host, with TLS as the connection asks for it. */
import type { Socket } from 'node:net';
import type { Settings } from '../../../kinds/postgres/dialect/settings.ts';
import type { Host } from '../driver.ts';
import {
  dialled,
  HANDSHAKE_MS,
  secured,
  TlsCutOff,
  TlsFailed,
  TlsUnanswered,
  type Trust,
} from '../tls-socket.ts';

/** One way to try a connection: `offer` uses TLS where the server has it. */
export type Encryption = 'none' | 'offer' | 'require' | 'verify-ca' | 'verify-full';

/** What is tried, in this order. Source: PostgreSQL manual, "SSL Mode Descriptions". */
export function encryptionsOf({ sslMode }: Settings): readonly Encryption[] {
  switch (sslMode) {
    case 'disable':
      return ['none'];
    case 'allow':
      return ['none', 'require'];
    case 'prefer':
      return ['offer', 'none'];
    default:
      return [sslMode];
  }
}

/** Bytes: length, then the code that asks for TLS. Source: PostgreSQL manual, "SSLRequest". */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/**
 * A connected socket, inside TLS or not.
 * @throws GatewayError ADDRESS_REFUSED, CONNECTION_FAILED, and the signal's reason
 */
export function openSocket(
  host: Host,
  settings: Settings,
  encryption: Encryption,
  signal: AbortSignal,
): Promise<Socket> {
  return dialled(host, settings, signal, async (socket) => {
    if (encryption === 'none') return socket;
    if (await offersTls(socket)) return secured(socket, settings.host, trustOf(encryption));
    if (encryption === 'offer') return socket;
    throw new TlsFailed('CONNECTION_FAILED', 'The server does not support TLS');
  });
}

function trustOf(encryption: Encryption): Trust {
  if (encryption === 'verify-full') return 'host';
  return encryption === 'verify-ca' ? 'chain' : 'any';
}

function offersTls(socket: Socket): Promise<boolean> {
  return new Promise((resolve, reject) => {
    // The server says nothing more before it is spoken to, so nothing is lost between listeners.
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      socket.off('data', onData).off('close', onClose);
      settle();
    };
    const refuse = (failure: TlsFailed) => finish(() => reject(failure));
    const onData = (answer: Buffer) => {
      // More than the one byte would be data from before the encryption: CVE-2021-23222.
      if (answer.length !== 1 || !'SN'.includes(answer.toString('latin1'))) {
        refuse(new TlsFailed('CONNECTION_FAILED', 'The server is not a PostgreSQL server'));
      } else finish(() => resolve(answer.toString('latin1') === 'S'));
    };
    const closed = 'The server closed the connection while TLS was asked for';
    const onClose = () => refuse(new TlsCutOff('CONNECTION_FAILED', closed));
    const timer = setTimeout(() => refuse(new TlsUnanswered()), HANDSHAKE_MS);
    socket.on('data', onData).on('close', onClose);
    socket.write(SSL_REQUEST);
  });
}

/**
 * Asks the server to stop what a connection is doing; answers when the server has read that, or
 * cannot be reached. Source: PostgreSQL manual, "Canceling Requests in Progress".
 */
export async function sendCancel(
  open: (signal: AbortSignal) => Promise<Socket>,
  { processId, secret }: { processId: number; secret: number },
  signal: AbortSignal,
): Promise<void> {
  const request = Buffer.alloc(16);
  request.writeInt32BE(16, 0);
  request.writeInt32BE(80_877_102, 4);
  request.writeInt32BE(processId, 8);
  request.writeInt32BE(secret, 12);
  let socket: Socket | undefined;
  try {
    const opened = await open(signal);
    socket = opened;
    await new Promise<void>((resolve) => {
      opened
        .on('error', () => resolve())
        .on('close', () => resolve())
        .resume();
      signal.addEventListener('abort', () => resolve(), { once: true });
      opened.write(request);
    });
  } catch {
    // The statement then ends with its connection.
  } finally {
    socket?.destroy();
  }
}
