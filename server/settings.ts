/** The settings that `npm start` takes from the environment, and what `--help` says about them. */

/** One line of `--help`. */
interface SettingHelp {
  readonly name: string;
  readonly meaning: string;
  /** As text; left out where there is none. */
  readonly fallback?: string;
}

/** Made on first use in the data folder, unless the environment has them. Contract §11. */
export const KEY_SETTINGS: readonly SettingHelp[] = [
  { name: 'JWT_SECRET', meaning: 'signs login tokens; at least 32 characters' },
  {
    name: 'INSTALLATION_KEY',
    meaning: "seals the organizations' data keys; base64url of 32 bytes",
  },
  { name: 'GATEWAY_KEY', meaning: 'signs the tokens to relays; Ed25519 private JWK' },
  { name: 'RELAY_NODE_KEY', meaning: 'opens connections sealed to the relay; P-256 private JWK' },
];

/** Passed on to the worker as they are; the worker checks them. Contract §11. */
export const WORKER_SETTINGS: readonly SettingHelp[] = [
  { name: 'JWT_SECRET_PREVIOUS', meaning: 'verifies tokens signed before a change of JWT_SECRET' },
  { name: 'JWT_LIFETIME_S', meaning: 'life of a token in seconds', fallback: '3600' },
  { name: 'LOGIN_MAX_S', meaning: 'how long a login can be refreshed', fallback: '2592000' },
  { name: 'INSTALLATION_KEY_PREVIOUS', meaning: 'opens what the key before sealed' },
  { name: 'GATEWAY_KEY_PREVIOUS', meaning: 'signs for relays that do not know the new key yet' },
  { name: 'NEW_ORG_TOKEN', meaning: 'bearer token that POST /new then needs' },
  {
    name: 'REQUIRE_VERIFIED_ACCOUNTS',
    meaning: 'auto, true or false: whether accounts made elsewhere must be verified',
    fallback: 'auto',
  },
  {
    name: 'COMPRESSION',
    meaning: 'off sends replies uncompressed, such as behind a proxy that compresses',
    fallback: 'gzip',
  },
  { name: 'RATE_LIMITS', meaning: 'off switches all limits off', fallback: 'on' },
  {
    name: 'QUOTAS',
    meaning: 'JSON {endpoints, templates, workflows, storage, audit}',
    fallback: '1000 each, 1 GiB, 64 MiB',
  },
  {
    name: 'TEMPLATE_BUDGETS',
    meaning: 'JSON {fuel, depth, output_bytes}: what one run of a template may take',
    fallback: '12000000 steps, 200, 32 MiB',
  },
  {
    name: 'PUBLIC_URL',
    meaning: 'where clients reach the gateway, for links; on loopback the address it listens on',
  },
  { name: 'RESET_REDIRECT_URLS', meaning: 'redirectUrls that a password reset may name, by comma' },
  {
    name: 'CORS_ORIGINS',
    meaning: 'origins whose pages may call, by comma; * for any',
  },
  {
    name: 'AUTH_EXTERNAL',
    meaning: 'JSON list of the identity providers whose tokens are taken',
  },
  {
    name: 'MAIL_URL',
    meaning: 'where mail is posted; without it, reset links go to the log, behind a proxy nowhere',
  },
  { name: 'MAIL_TOKEN', meaning: 'bearer token for MAIL_URL' },
  { name: 'POLICY_TTL_MS', meaning: 'how long rules are remembered', fallback: '1000' },
  {
    name: 'POLICY_FROM_REPLICAS',
    meaning:
      "true, on the platform: rights may be read from D1's replicas, which are a moment behind",
    fallback: 'false',
  },
  {
    name: 'RESULT_MAX_BYTES',
    meaning: 'largest result that is not streamed',
    fallback: '10485760',
  },
  {
    name: 'HTTP_ALLOW_PRIVATE',
    meaning: 'true lets http and pinecone endpoints reach private addresses, through the relay',
    fallback: 'false',
  },
  { name: 'BODY_MAX_BYTES', meaning: 'largest request body', fallback: '10485760' },
  {
    name: 'BODY_IDLE_S',
    meaning: 'seconds that a client may send nothing of a body that it has begun',
    fallback: '30',
  },
  { name: 'METRICS_TOKEN', meaning: 'bearer token that reads /metrics; without it there is none' },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    meaning: "where traces go, by OTLP over HTTP, the relay's too; without it there are none",
  },
  {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    meaning: 'headers of what is sent there: name=value by comma',
  },
  { name: 'OTEL_SERVICE_NAME', meaning: 'service.name of its spans', fallback: 'causeway-gateway' },
  {
    name: 'OTEL_RESOURCE_ATTRIBUTES',
    meaning: 'further attributes of the service: name=value by comma',
  },
  {
    name: 'OTEL_TRACES_SAMPLER',
    meaning: 'which requests are traced: always_on, traceidratio, parentbased_traceidratio, …',
    fallback: 'parentbased_always_on',
  },
  { name: 'OTEL_TRACES_SAMPLER_ARG', meaning: 'which share of them, 0 to 1', fallback: '1' },
  { name: 'BODY_TOTAL_S', meaning: 'seconds in which a body arrives', fallback: '300' },
];

/** Read by `npm start` itself. */
export const LOCAL_SETTINGS: readonly SettingHelp[] = [
  {
    name: 'KEYS_FILE',
    meaning: "file with keys as lines NAME='value'; a change of it needs no new start",
  },
  {
    name: 'LOG_LEVEL',
    meaning: "debug, info, warn or error of the relay's lines; debug has one for each call",
    fallback: 'info',
  },
  {
    name: 'DRAIN_S',
    meaning: 'seconds that a stop waits for requests in flight; a second Ctrl-C ends at once',
    fallback: '30',
  },
  {
    name: 'TRUSTED_PROXY',
    meaning: "IP address of the proxy whose X-Forwarded-For is believed; other clients' is dropped",
  },
  {
    name: 'RELAY_ALLOW',
    meaning: 'addresses that the relay may reach beside public ones: CIDRs, names, host:port or *',
    fallback: '* when bound to loopback',
  },
  {
    name: 'RELAY_PARTS',
    meaning: 'processes of the relay, which share the organizations',
    fallback: 'one per core, at least 2',
  },
  {
    name: 'RELAY_PART_MEMORY_MB',
    meaning: 'one that holds more is ended and started again',
    fallback: "half of the machine's memory by RELAY_PARTS, 256 to 2048",
  },
  {
    name: 'RELAY_STAND_INS',
    meaning: 'loaded processes that wait for one that dies, 0 to 8',
    fallback: '2',
  },
  { name: 'RELAY_URL', meaning: 'a relay that runs elsewhere; then none runs here' },
  { name: 'RELAY_NODE_PUBLIC_KEY', meaning: "the public half of that relay's key; P-256 JWK" },
  { name: 'RELAY_CA', meaning: "file of the authority of that relay's certificate" },
  {
    name: 'RELAY_CLIENT_CERT',
    meaning: 'file of the certificate that the gateway shows to that relay',
  },
  { name: 'RELAY_CLIENT_KEY', meaning: 'file of its private key' },
];

/** What `--help` prints. */
export const HELP = `Runs the gateway and a relay on this machine.

Usage: npm start -- [flags]

  --port PORT         where the gateway listens, 0 for any free port (8787) [PORT]
  --relay-port PORT   where the relay listens on loopback, 0 for any free port (8788) [RELAY_PORT]
  --host ADDRESS      address to listen on (127.0.0.1) [HOST]
  --data FOLDER       where keys and state are kept (.causeway) [DATA]
  --demo              adds an organization with a PostgreSQL of its own to try things on [DEMO=true]
  --workers N         edge runtimes that share the port, 1 to 64 (one per core, less one) [WORKERS]
  --log FORMAT        lines on stderr: json, pretty, or auto, which is pretty on a terminal, else json
                      (auto) [LOG_FORMAT]
  --help              this text

Each flag has the environment variable in brackets; a flag wins. Further settings come from the
environment, or from a FILE of lines NAME='value', with any Node that npm start runs on:

  npm exec -c 'node --env-file=FILE server/run.mjs server/start.ts'

Keys, made in the data folder when first needed:
${lines(KEY_SETTINGS)}

Settings:
${lines([...LOCAL_SETTINGS, ...WORKER_SETTINGS])}
`;

function lines(settings: readonly SettingHelp[]): string {
  return settings
    .map(({ name, meaning, fallback }) => {
      const what = fallback === undefined ? meaning : `${meaning} (${fallback})`;
      return `  ${name.padEnd(30)}${what}`;
    })
    .join('\n');
}
