/** Opens connections to a PostgreSQL server: by the way that worked before, within their time. */
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { DatabaseError } from 'pg';
import { connectByRoute, connectWithin } from '../connect.ts';
import { TlsFailed } from '../tls-socket.ts';
import { Connection, type Recipe, StartupClient } from './connection.ts';
import { connectFailure } from './errors.ts';
import { IncomingConnection } from './incoming.ts';
import { startupOptions } from './session-settings.ts';
import { type Encryption, encryptionsOf, openSocket } from './socket.ts';

/** What poolers answer to a startup parameter that they do not know. */
const OPTIONS_REFUSED = '08P01';

/** What a connection is made into, once the server let it in. */
interface Making<Made> {
  /** Members of the startup message besides those of every connection. */
  readonly startup?: Readonly<Record<string, string>>;
  make(client: StartupClient, open: (signal: AbortSignal) => Promise<Socket>): Promise<Made>;
}

/**
 * Connects and logs in.
 * @throws GatewayError CONNECTION_FAILED, ADDRESS_REFUSED, INVALID_CONFIGURATION, SERVICE_UNAVAILABLE, the signal's reason
 */
export function connect(recipe: Recipe, signal: AbortSignal): Promise<Connection> {
  return connectAs(recipe, signal, {
    async make(client, open) {
      const made = new Connection(client, recipe, open);
      await made.greet();
      return made;
    },
  });
}

/** As `connect`, for what is made of the connection. */
export function connectAs<Made>(
  recipe: Recipe,
  signal: AbortSignal,
  making: Making<Made>,
): Promise<Made> {
  const { settings, route } = recipe;
  const connectBy = (limited: AbortSignal) =>
    connectByRoute(
      route,
      encryptionsOf(settings),
      limited,
      (encryption) => logInEitherWay(recipe, encryption, limited, making),
      (error) => error instanceof TlsFailed || isRefusedByRule(error),
    );
  return connectWithin(settings.connectTimeoutMs, signal, connectBy, connectFailure);
}

/** With the session's settings at startup, else, from now on, without. */
async function logInEitherWay<Made>(
  recipe: Recipe,
  encryption: Encryption,
  signal: AbortSignal,
  making: Making<Made>,
): Promise<Made> {
  const { route } = recipe;
  const { startupSettings } = route;
  try {
    return await logIn(recipe, encryption, signal, making);
  } catch (error) {
    const isRefused = error instanceof DatabaseError && error.code === OPTIONS_REFUSED;
    if (!isRefused || !startupSettings) throw error;
    route.startupSettings = false;
    return logIn(recipe, encryption, signal, making);
  }
}

/** The server's access rules tell connections with TLS from those without. */
function isRefusedByRule(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '28000';
}

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

async function logIn<Made>(
  recipe: Recipe,
  encryption: Encryption,
  signal: AbortSignal,
  making: Making<Made>,
): Promise<Made> {
  const { host, settings, route } = recipe;
  const open = (within: AbortSignal) => openSocket(host, settings, encryption, within);
  const socket = await open(signal);
  const incoming = new IncomingConnection({ stream: () => alreadyConnected(socket) });
  const client = new StartupClient(incoming, {
    host: settings.host,
    port: settings.port,
    user: settings.user,
    database: settings.database,
    // A function, so that an empty password does not lead to a password file.
    password: () => settings.password,
    ssl: false,
    sslnegotiation: 'postgres',
    client_encoding: 'utf8',
    enableChannelBinding: socket instanceof TLSSocket,
  });
  client.startup = {
    user: settings.user,
    database: settings.database,
    application_name: settings.applicationName,
    ...(route.startupSettings ? { options: startupOptions(recipe) } : {}),
    ...making.startup,
  };
  // The wire listens once the login is over; until then `connect` rejects.
  client.on('error', () => {});
  const destroy = () => socket.destroy();
  signal.addEventListener('abort', destroy, { once: true });
  incoming.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
    if (parameterName === 'is_superuser') client.superuser = parameterValue === 'on';
    if (parameterName === 'client_encoding') client.encoding = parameterValue;
  });
  try {
    await client.connect();
    return await making.make(client, open);
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', destroy);
  }
}

/** node-postgres connects its stream itself; this one is, so it is told so. */
function alreadyConnected(socket: Socket): Socket {
  const told = () => {
    process.nextTick(() => socket.emit('connect'));
    return socket;
  };
  return Object.assign(socket, { connect: told });
}
