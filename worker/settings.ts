/** The worker's settings: read from its bindings once, checked, with their defaults. */
import type { JWK } from 'jose';
import * as z from 'zod';
import { faultsOf, IN_OUR_WORDS } from '../proto/schema-faults.ts';
import { Issuers } from './issuers.ts';

const json = <T extends z.ZodType>(schema: T) =>
  z
    .string()
    .transform((text, issues) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        issues.addIssue({ code: 'custom', message: 'is not JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema);
/** A number of a unit. */
const whole = (unit: string, least: number, fallback: number) => {
  const error = `must be a whole number of ${unit}, at least ${least}`;
  return z.coerce.number({ error }).int({ error }).min(least, { error }).default(fallback);
};
const seconds = (fallback: number) => whole('seconds', 1, fallback);
const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== ''),
  );
/** `name=value` by comma, values percent-encoded. Source: W3C Baggage, as OpenTelemetry uses it. */
const pairs = list.transform((each, issues) => {
  try {
    return Object.fromEntries(
      each.map((pair) => {
        const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(pair) ?? [];
        if (name === '') throw new TypeError('no pair');
        return [name.trim(), decodeURIComponent(value.trim())] as const;
      }),
    );
  } catch {
    issues.addIssue({ code: 'custom', message: 'is no list of name=value by comma' });
    return z.NEVER;
  }
});
/** Source: OpenTelemetry specification, "SDK configuration". */
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
/** As browsers send it: scheme, host, and a port that is not the scheme's own. */
function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol, host } = new URL(text);
  const isWhole = host !== '' && !host.includes('*');
  return isWhole && text === (origin === 'null' ? `${protocol}//${host}` : origin);
}
const origins = list.refine(
  (each) => each.every(isOrigin) || (each.length === 1 && each[0] === '*'),
  'is neither * nor a list of origins such as https://app.example.com, without a path',
);
const redirects = list.refine(
  (each) => each.every((url) => URL.canParse(url)),
  'is no list of absolute URLs such as https://app.example.com/reset',
);
/** No white space, credentials, query or fragment, and nothing that programs read in two ways. */
const PUBLIC_URL = /^https?:\/\/[^\s/\\?#@]+(?:\/[^\s\\?#]*)?$/i;
const publicUrl = z
  .string()
  .refine(
    (text) => PUBLIC_URL.test(text) && URL.canParse(text),
    'is no absolute http or https URL without credentials, query and fragment',
  )
  .transform((text) => new URL(text).href.replace(/\/+$/, ''));
const sealingKey = z
  .string()
  .regex(/^[\w-]{43}=?$/, 'is not base64url of 32 bytes')
  .transform((text) => text.replace(/=$/, ''));
const jwk = json(z.looseObject({ kty: z.string() })).transform((key) => key as JWK);

const Quotas = z.strictObject({
  endpoints: z.int().min(0).default(1000),
  templates: z.int().min(0).default(1000),
  workflows: z.int().min(0).default(1000),
  /** Bytes. */
  storage: z
    .int()
    .min(0)
    .default(1024 ** 3),
  /** Bytes beyond `storage` that only entries of the audit take. Spec silent. */
  audit: z
    .int()
    .min(0)
    .default(64 * 1024 ** 2),
});

/** Contract §11, `TEMPLATE_BUDGETS`: what one run of a template may take. Spec silent. */
const Budgets = z.strictObject({
  /** Steps. */
  fuel: z.int().min(1).default(12_000_000),
  /** Calls, templates, and arrays and objects within each other. */
  depth: z.int().min(1).max(1_000).default(200),
  /** Bytes of what a run makes. */
  output_bytes: z
    .int()
    .min(1)
    .default(32 * 1024 * 1024),
});

/** Contract §11, "Names of settings"; those of the worker that have a meaning so far. */
const SettingsSchema = z.object({
  JWT_SECRET: z.string().min(32, 'needs at least 32 characters'),
  JWT_SECRET_PREVIOUS: z.string().min(32).optional(),
  JWT_LIFETIME_S: seconds(3600),
  LOGIN_MAX_S: seconds(30 * 24 * 3600),
  INSTALLATION_KEY: sealingKey,
  INSTALLATION_KEY_PREVIOUS: sealingKey.optional(),
  GATEWAY_KEY: jwk,
  /** Signs for relays that do not know the current one yet. */
  GATEWAY_KEY_PREVIOUS: jwk.optional(),
  RELAY_URL: z.url().default('http://127.0.0.1:8788'),
  RELAY_NODE_PUBLIC_KEY: jwk,
  NEW_ORG_TOKEN: z.string().min(1).optional(),
  REQUIRE_VERIFIED_ACCOUNTS: z.enum(['auto', 'true', 'false']).default('auto'),
  RATE_LIMITS: z.enum(['on', 'off']).default('on'),
  /** `gzip`: replies are compressed for clients that take it: worker/http/compress.ts. Platforms that do so themselves leave it off. */
  COMPRESSION: z.enum(['gzip', 'off']).default('off'),
  /** Who has it may read `/metrics`; without it there is none. */
  METRICS_TOKEN: z
    .string()
    .regex(/^[!-~]+$/, 'has a character that no bearer token has')
    .optional(),
  /** Where traces go, without `/v1/traces`; without it there are none. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_EXPORTER_OTLP_HEADERS: pairs,
  OTEL_SERVICE_NAME: z.string().default('causeway-gateway'),
  OTEL_RESOURCE_ATTRIBUTES: pairs,
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number({ error: 'must be a number from 0 to 1' })
    .min(0)
    .max(1)
    .default(1),
  /** Where clients reach the gateway, without a slash at its end: worker/public-url.ts. */
  PUBLIC_URL: publicUrl.optional(),
  RESET_REDIRECT_URLS: redirects,
  /** Origins whose pages may call, or `*` alone for any: worker/http/cors.ts. */
  CORS_ORIGINS: origins,
  AUTH_EXTERNAL: json(Issuers).default([]),
  MAIL_URL: z.url().optional(),
  MAIL_TOKEN: z.string().optional(),
  QUOTAS: json(Quotas).default(Quotas.parse({})),
  TEMPLATE_BUDGETS: json(Budgets).default(Budgets.parse({})),
  POLICY_TTL_MS: whole('milliseconds', 0, 1000),
  /** `true`: rights may be read from D1's replicas: worker/db/replicas.ts. */
  POLICY_FROM_REPLICAS: z.enum(['true', 'false']).default('false'),
  RESULT_MAX_BYTES: whole('bytes', 1, 10 * 1024 * 1024),
  BODY_MAX_BYTES: whole('bytes', 1, 10 * 1024 * 1024),
  /** Seconds that a client may send nothing of a body, and in which all of it arrives. */
  BODY_IDLE_S: seconds(30),
  BODY_TOTAL_S: seconds(300),
  /** `true`: endpoints of kinds `http` and `pinecone` may reach private addresses: worker/drivers/edge/host.ts. */
  HTTP_ALLOW_PRIVATE: z.enum(['true', 'false']).default('false'),
  /** Ports of the gateway and its relay, never a backend's on this machine. The scripts set it, people do not. */
  OWN_PORTS: list,
  /** On a server bound to loopback the address that it listens on. The scripts set it, people do not. */
  OWN_URL: publicUrl.optional(),
  /** How callers' addresses are known: see worker/http/address.ts. The scripts set it, people do not. */
  PEER: z.string().default(''),
  /** `true` on a server bound to loopback without a proxy: reset links may go to the log, and to loopback URLs. */
  LOCAL_SERVER: z.enum(['true', 'false']).default('false'),
});
export type Settings = Readonly<z.infer<typeof SettingsSchema>>;

/** All settings. */
export function settingNames() {
  return SettingsSchema.keyof().options;
}

/** Settings that can change while the worker runs. */
const CHANGING = [
  'JWT_SECRET',
  'JWT_SECRET_PREVIOUS',
  'INSTALLATION_KEY',
  'INSTALLATION_KEY_PREVIOUS',
  'GATEWAY_KEY',
  'GATEWAY_KEY_PREVIOUS',
  'RELAY_NODE_PUBLIC_KEY',
] as const;

/** What has been read, and what is instead of bindings since. */
const current = { read: new WeakMap<object, Settings>(), changed: {} };
const readFrom = new WeakMap<Settings, object>();

/**
 * The settings in a worker's bindings; the same object for the same bindings, until keys change. An
 * empty text counts as not set.
 * @throws Error naming each setting that is missing or wrong, never its value
 */
export function settingsOf(env: object): Settings {
  const known = current.read.get(env);
  if (known) return known;
  const settings = parsed({ ...env, ...current.changed });
  current.read.set(env, settings);
  readFrom.set(settings, env);
  return settings;
}

function parsed(env: object): Settings {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const { data, error } = SettingsSchema.safeParse(given, IN_OUR_WORDS);
  if (data) return data;
  const faults = faultsOf(error, 'settings').map(({ path, message }) => `${path}: ${message}`);
  throw new Error(`Settings: ${faults.join('; ')}`);
}

/** The bindings that these settings were read from; undefined of settings that were made otherwise. */
export function bindingsOf(settings: Settings): object | undefined {
  return readFrom.get(settings);
}

/**
 * Uses these keys instead of the bindings' from now on, or where there are none the bindings'
 * again; calls under way end with those that they began with.
 * @throws Error as `settingsOf`; then nothing has changed
 */
export function changeKeys(env: object, keys: Readonly<Record<string, unknown>>): void {
  const isBack = Object.keys(keys).length === 0;
  const names = isBack ? [] : CHANGING;
  const changed = Object.fromEntries(names.map((name) => [name, keys[name] ?? '']));
  parsed({ ...env, ...changed });
  current.changed = changed;
  current.read = new WeakMap();
}
