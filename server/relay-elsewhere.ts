/** A default relay that runs elsewhere, as the settings name it. Contract §11. */
import { readFileSync } from 'node:fs';
import { createSecureContext, rootCertificates } from 'node:tls';
import * as z from 'zod';
import { Failure } from './failure.ts';

/** How the gateway reaches it. */
export interface RelayElsewhere {
  readonly url: string;
  /** Public JWK, as text: connections are sealed to it. */
  readonly publicKey: string;
  /** Whether statements and results can be read on the way. */
  readonly isPlain: boolean;
  readonly tls: RelayTls;
}

/** PEM texts. */
export interface RelayTls {
  /** Authorities that may have signed the relay's certificate. */
  readonly authorities: readonly string[];
  /** What the relay may ask the gateway for. */
  readonly client: { readonly certificate: string; readonly key: string } | undefined;
}

/** Settings of a relay that runs next to the gateway: without effect where none does. */
const OF_OWN_RELAY = [
  'RELAY_ALLOW',
  'RELAY_PARTS',
  'RELAY_PART_MEMORY_MB',
  'RELAY_STAND_INS',
  'RELAY_NODE_KEY',
  'RELAY_NODE_KEY_PREVIOUS',
] as const;
const TLS_FILES = ['RELAY_CLIENT_CERT', 'RELAY_CLIENT_KEY', 'RELAY_CA'] as const;

const PublicKey = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  kid: z.string().optional(),
});

/**
 * Undefined where the gateway runs a relay of its own.
 * @throws Failure when one setting is missing that another needs, or one cannot be used
 */
export function readRelayElsewhere(environment: NodeJS.ProcessEnv): RelayElsewhere | undefined {
  const { RELAY_URL: url, RELAY_NODE_PUBLIC_KEY: key } = environment;
  const lone = TLS_FILES.find((name) => environment[name]);
  if (!url && !key && !lone) return undefined;
  if (!url) {
    const given = key ? 'RELAY_NODE_PUBLIC_KEY' : lone;
    throw new Failure(`${given} is of a relay that runs elsewhere: RELAY_URL must say where.`);
  }
  if (!key) {
    throw new Failure(
      'RELAY_URL needs RELAY_NODE_PUBLIC_KEY, the public half of the RELAY_NODE_KEY of that relay.',
    );
  }
  const { protocol, href } = relayUrl(url);
  const isPlain = protocol === 'http:';
  if (isPlain && lone) throw new Failure(`${lone} needs a RELAY_URL that begins with https:.`);
  return {
    url: href.replace(/\/+$/, ''),
    publicKey: publicKey(key),
    isPlain,
    tls: relayTls(environment),
  };
}

/** Names of settings that are given and have no effect, because they are of the other relay. */
export function unusedSettings(environment: NodeJS.ProcessEnv): string[] {
  return OF_OWN_RELAY.filter((name) => environment[name]);
}

function relayUrl(text: string): URL {
  const url = URL.parse(text);
  const isWhole = url !== null && /^https?:$/.test(url.protocol) && url.host !== '';
  if (isWhole && !url.username && !url.password && !url.search && !url.hash) return url;
  throw new Failure(
    'RELAY_URL takes an http or https URL without credentials, query and fragment, such as https://relay.example.com:8788.',
  );
}

/** Never in the sentence: a private key may have been given by mistake. */
function publicKey(text: string): string {
  try {
    return JSON.stringify(PublicKey.parse(JSON.parse(text)));
  } catch (cause) {
    throw new Failure('RELAY_NODE_PUBLIC_KEY is not a public JWK, EC P-256; see --help.', {
      cause,
    });
  }
}

function relayTls(environment: NodeJS.ProcessEnv): RelayTls {
  const [certificate, key, ca] = TLS_FILES.map((name) => readSettingFile(name, environment[name]));
  if ((certificate === undefined) !== (key === undefined)) {
    throw new Failure('RELAY_CLIENT_CERT and RELAY_CLIENT_KEY are needed together.');
  }
  const authorities = ca === undefined ? publicAuthorities(environment) : [ca];
  checkPem('RELAY_CA', ca === undefined ? {} : { ca });
  if (certificate === undefined || key === undefined) return { authorities, client: undefined };
  checkPem('RELAY_CLIENT_CERT and RELAY_CLIENT_KEY', { cert: certificate, key });
  return { authorities, client: { certificate, key } };
}

/** As programs of Node trust them. */
function publicAuthorities({ NODE_EXTRA_CA_CERTS: extra }: NodeJS.ProcessEnv): string[] {
  const own = readSettingFile('NODE_EXTRA_CA_CERTS', extra);
  return own === undefined ? [...rootCertificates] : [...rootCertificates, own];
}

function readSettingFile(name: string, path: string | undefined): string | undefined {
  if (!path) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Failure(`${name}: the file ${path} cannot be read.`, { cause });
  }
}

function checkPem(names: string, pem: Parameters<typeof createSecureContext>[0]): void {
  try {
    if (pem?.ca !== undefined && !String(pem.ca).includes('-----BEGIN CERTIFICATE-----')) {
      throw new TypeError('no certificate');
    }
    createSecureContext(pem);
  } catch (cause) {
    const what = names === 'RELAY_CA' ? 'holds no certificate' : 'are no certificate and its key';
    throw new Failure(`${names} ${what} in PEM form.`, { cause });
  }
}
