/** Where each scheme of signing has its signatures, and what it signs besides the body. Spec: workflows.md §5, `webhook`. */
import { withoutAtEnd } from '../../../proto/text-ends.ts';
import type { WebhookTrigger } from '../../workflows/definition/trigger-tree.ts';

type Authentication = Pick<
  WebhookTrigger['authentication'],
  'scheme' | 'algorithm' | 'header' | 'idHeader'
>;
/** A scheme's name, as definitions have it. */
type Scheme = Authentication['scheme'];

/** What a delivery claims by its headers. */
interface Claim {
  readonly hash: 'SHA-256' | 'SHA-512';
  /** Signatures that may be the right one; more than these are not looked at. */
  readonly signatures: readonly Uint8Array[];
  /** Signed before the body. */
  readonly prefix: string;
  /** When it was signed, in seconds since the Unix epoch; undefined where the scheme signs no time. */
  readonly signedAt: number | undefined;
}

/** What headers say: a claim, or what is wrong with them. */
type HeaderClaim = Claim | { readonly fault: string };

/** Gives a header; null where there is none. */
export type Header = (name: string) => string | null;

/** Most signatures of a delivery that are compared: senders sign once for each of their keys. Spec silent. */
const SIGNATURES_MAX = 8;
/** Bytes of an HMAC. */
const LENGTHS = { 'SHA-256': 32, 'SHA-512': 64 } as const;
const SECONDS = /^\d{1,12}$/;

/** The header that has the signature, unless the definition names another. */
const HEADERS = {
  standard: 'webhook-signature',
  stripe: 'stripe-signature',
  slack: 'x-slack-signature',
} as const;
const SLACK_TIME = 'x-slack-request-timestamp';

const READERS: Readonly<
  Record<Scheme, (authentication: Authentication, header: Header) => HeaderClaim>
> = { plain: readPlain, standard: readStandard, stripe: readStripe, slack: readSlack };

/** Reads what the headers of a delivery claim. */
export function readClaim(authentication: Authentication, header: Header): HeaderClaim {
  return READERS[authentication.scheme](authentication, header);
}

/** The header whose lack reports that a delivery is not signed. */
export function signatureHeader({ scheme, header }: Authentication): string {
  return header ?? (scheme === 'plain' ? '' : HEADERS[scheme]);
}

/** The header that names a delivery; undefined where its body does, or nothing. */
export function idHeaderOf(authentication: Authentication): string | undefined {
  const { scheme, idHeader } = authentication;
  return idHeader ?? (scheme === 'standard' ? besideSignature(authentication, 'id') : undefined);
}

/** The bytes of the key that a secret stands for. */
export function keyBytes(scheme: Scheme, secret: string): Uint8Array {
  if (scheme !== 'standard') return new TextEncoder().encode(secret);
  return fromBase64(secret.replace(/^whsec_/, '')) ?? new TextEncoder().encode(secret);
}

function readPlain(authentication: Authentication, header: Header): HeaderClaim {
  const { algorithm } = authentication;
  const name = signatureHeader(authentication);
  const value = header(name)?.trim();
  if (value === undefined || value === '') return missing(name);
  const text = value.startsWith(`${algorithm}=`) ? value.slice(algorithm.length + 1) : value;
  const hash = algorithm === 'sha512' ? 'SHA-512' : 'SHA-256';
  const signature = fromHex(text, hash) ?? ofLength(fromBase64(text), hash);
  if (!signature) {
    return { fault: `${name} must be an HMAC with ${algorithm} in hexadecimal digits or base64` };
  }
  return { hash, signatures: [signature], prefix: '', signedAt: undefined };
}

/** Standard Webhooks: `v1,<base64>`, as many as the sender has keys, over id, time and body. */
function readStandard(authentication: Authentication, header: Header): HeaderClaim {
  const name = signatureHeader(authentication);
  const names = [
    name,
    besideSignature(authentication, 'id'),
    besideSignature(authentication, 'timestamp'),
  ];
  const [signatures, id, time] = names.map(header);
  for (const [at, value] of [signatures, id, time].entries()) {
    if (!value) return missing(names[at] ?? '');
  }
  if (!SECONDS.test(time ?? '')) return noTime(names[2] ?? '');
  const given = (signatures ?? '').split(' ').filter((each) => each.startsWith('v1,'));
  const hash = 'SHA-256';
  const read = given.map((each) => ofLength(fromBase64(each.slice('v1,'.length)), hash));
  return claimOf(name, 'v1,<base64>', read, { prefix: `${id}.${time}.`, time: Number(time) });
}

/** `t=<time>,v1=<hex>`, as many `v1` as the sender has secrets, over time and body. */
function readStripe(authentication: Authentication, header: Header): HeaderClaim {
  const name = signatureHeader(authentication);
  const value = header(name);
  if (!value) return missing(name);
  const parts = value.split(',').map((part) => part.trim().split('='));
  const valuesOf = (key: string) =>
    parts.flatMap(([own, text]) => (own === key ? [text ?? ''] : []));
  const [time = ''] = valuesOf('t');
  if (!SECONDS.test(time)) return noTime(`t in ${name}`);
  const read = valuesOf('v1').map((text) => fromHex(text, 'SHA-256'));
  return claimOf(name, 't=<time>,v1=<hex>', read, { prefix: `${time}.`, time: Number(time) });
}

/** `v0=<hex>` over version, time and body. */
function readSlack(authentication: Authentication, header: Header): HeaderClaim {
  const name = signatureHeader(authentication);
  const [value, time] = [header(name), header(SLACK_TIME)];
  if (!value) return missing(name);
  if (!time) return missing(SLACK_TIME);
  if (!SECONDS.test(time)) return noTime(SLACK_TIME);
  const text = value.startsWith('v0=') ? value.slice('v0='.length) : '';
  const read = [fromHex(text, 'SHA-256')];
  return claimOf(name, 'v0=<hex>', read, { prefix: `v0:${time}:`, time: Number(time) });
}

/** Another product's prefix, such as `svix-signature`, names its other headers, too. */
function besideSignature(authentication: Authentication, what: 'id' | 'timestamp'): string {
  const name = signatureHeader(authentication);
  return /-signature$/i.test(name) ? name.replace(/signature$/i, what) : `webhook-${what}`;
}

function claimOf(
  name: string,
  form: string,
  read: readonly (Uint8Array | undefined)[],
  { prefix, time }: { readonly prefix: string; readonly time: number },
): HeaderClaim {
  const signatures = read.filter((each) => each !== undefined).slice(0, SIGNATURES_MAX);
  if (signatures.length === 0) return { fault: `${name} must have the form ${form}` };
  return { hash: 'SHA-256', signatures, prefix, signedAt: time };
}

function missing(name: string): HeaderClaim {
  return { fault: `${name} is required: the delivery must be signed` };
}

function noTime(where: string): HeaderClaim {
  return { fault: `${where} must be seconds since the Unix epoch` };
}

function fromHex(text: string, hash: Claim['hash']): Uint8Array | undefined {
  if (text.length !== 2 * LENGTHS[hash] || !/^[0-9a-f]+$/i.test(text)) return undefined;
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Of both alphabets, padded or not. */
function fromBase64(text: string): Uint8Array | undefined {
  const plain = withoutAtEnd(text.replaceAll('-', '+').replaceAll('_', '/'), '=');
  if (plain === '' || !/^[A-Za-z0-9+/]+$/.test(plain) || plain.length % 4 === 1) return undefined;
  return Uint8Array.from(atob(plain), (character) => character.charCodeAt(0));
}

function ofLength(bytes: Uint8Array | undefined, hash: Claim['hash']): Uint8Array | undefined {
  return bytes?.byteLength === LENGTHS[hash] ? bytes : undefined;
}
