/** Keys of a relay in a file that may change while it runs, so that a change of keys needs no new start. */
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { parseEnv } from 'node:util';
import { GatewayError } from '../proto/errors.ts';

/** Milliseconds between two looks at the file: it may lie where nothing reports changes. */
const LOOK_MS = 500;

/** What the file may set. */
const KEYS = [
  'RELAY_NODE_KEY',
  'RELAY_NODE_KEY_PREVIOUS',
  'RELAY_SIGNING_KEY',
  'GATEWAY_PUBLIC_KEY',
] as const;

/**
 * The environment with the keys of `RELAY_KEYS_FILE`, whose lines are `NAME='value'`; they win.
 * @throws GatewayError INVALID_CONFIGURATION when it cannot be read
 */
export function withKeysFile(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const path = environment.RELAY_KEYS_FILE;
  if (!path) return environment;
  return { ...environment, ...keysIn(parsed(path)) };
}

/** Calls `changed` after each change of the file, until the answer is called. */
export function watchKeysFile(
  { RELAY_KEYS_FILE: path }: NodeJS.ProcessEnv,
  changed: () => void,
): () => void {
  if (!path) return () => {};
  watchFile(path, { interval: LOOK_MS, persistent: false }, changed);
  return () => unwatchFile(path, changed);
}

function parsed(path: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (cause) {
    const message = `RELAY_KEYS_FILE: the file ${path} cannot be read`;
    throw new GatewayError('INVALID_CONFIGURATION', message, { cause });
  }
}

function keysIn(values: NodeJS.Dict<string>): NodeJS.Dict<string> {
  return Object.fromEntries(KEYS.flatMap((name) => (values[name] ? [[name, values[name]]] : [])));
}
