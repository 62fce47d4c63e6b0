/** Writes what a relay keeps in its data folder, for its own user alone. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { exportJWK, generateKeyPair } from 'jose';
import { invalid, type NodeFiles, type NodeKeys, type StoredNode } from './settings.ts';

/** Makes two key pairs that never leave the relay. */
export async function newKeys(): Promise<NodeKeys> {
  const signing = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const sealing = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
  return {
    signing: await exportJWK(signing.privateKey),
    sealing: await exportJWK(sealing.privateKey),
  };
}

/** Keeps the keys, instead of those before. @throws GatewayError INVALID_CONFIGURATION */
export async function writeKeys(files: NodeFiles, { signing, sealing }: NodeKeys): Promise<void> {
  await writeWhole(files, files.signing, signing);
  await writeWhole(files, files.sealing, sealing);
}

/** Keeps what the relay was told. @throws GatewayError INVALID_CONFIGURATION */
export async function writeKept(files: NodeFiles, kept: StoredNode): Promise<void> {
  await writeWhole(files, files.state, kept);
}

/** What else a relay's processes go by once their keys change. */
interface PartKeysBeside {
  readonly before?: NodeKeys | undefined;
  /** Public keys of the gateway, where the operator has set none. */
  readonly gatewayKeys?: readonly object[] | undefined;
}

/** Has the relay's processes open what is sealed to the keys, and to those before. @throws GatewayError INVALID_CONFIGURATION */
export async function writePartKeys(
  files: NodeFiles,
  { sealing }: NodeKeys,
  { before, gatewayKeys }: PartKeysBeside = {},
): Promise<void> {
  const line = (name: string, value: unknown) =>
    value === undefined ? [] : [`${name}='${JSON.stringify(value)}'`];
  const lines = [
    ...line('RELAY_NODE_KEY', sealing),
    ...line('RELAY_NODE_KEY_PREVIOUS', before?.sealing),
    ...line('GATEWAY_PUBLIC_KEY', gatewayKeys),
  ];
  await writeText(files, files.partKeys, `${lines.join('\n')}\n`);
}

function writeWhole(files: NodeFiles, file: string, value: unknown): Promise<void> {
  return writeText(files, file, `${JSON.stringify(value)}\n`);
}

/** Whole or not at all: half a key on a full disk would be taken for one. */
async function writeText({ folder }: NodeFiles, file: string, text: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(`${file}.new`, text, { mode: 0o600, flush: true });
    await rename(`${file}.new`, file);
  } catch (cause) {
    throw invalid(`The file ${file} cannot be written: choose another folder with --data`, cause);
  }
}
