/** `npm run keygen`: new keys for a deployment, each with the place where it goes. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { flagFault } from '../proto/flags.ts';
import { randomSecret } from './data-folder.ts';
import { Failure, runScript, systemCode } from './failure.ts';
import { newPrivateKey, publicHalf } from './key-pairs.ts';

const HELP = `Makes new keys for a gateway and a relay that run apart, and says where each goes.

Usage: npm run keygen --silent -- [flags]

                  keys of a gateway and of its default relay
  --relay         keys of a relay that an organization registers as a node of its own
  --node UUID     a new key of the default relay that is the node of that UUID (docs/operate.md)
  --out FOLDER    writes gateway.env, relay.env or node.env there, mode 0600, in place of printing
  --help          this text

Each run makes new keys and keeps none. Lines are NAME='value': node --env-file, docker compose,
systemd and a shell read them. npm start on one machine makes its own keys and needs none of this.
`;

const FLAGS = {
  relay: { type: 'boolean' },
  node: { type: 'string' },
  out: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Lines of one file. */
interface Sheet {
  readonly file: string;
  readonly lines: readonly string[];
}

await runScript(async () => {
  const { relay = false, node, out, help } = flagsOf(process.argv.slice(2));
  if (help) {
    process.stdout.write(HELP);
    return;
  }
  if (node !== undefined && !UUID.test(node)) {
    throw new Failure(`--node takes the UUID of a node, not '${node}'.`);
  }
  if (relay && node !== undefined) {
    throw new Failure('--relay and --node are for two sorts of relays: give one of them.');
  }
  const sheets = await sheetsOf({ relay, ...(node && { node: node.toLowerCase() }) });
  if (out !== undefined) await writeAll(out, sheets);
  else process.stdout.write(`${sheets.flatMap(({ lines }) => lines).join('\n')}\n`);
});

function flagsOf(args: string[]) {
  try {
    return parseArgs({ args, options: FLAGS }).values;
  } catch (thrown) {
    throw new Failure(`${flagFault(thrown, Object.keys(FLAGS))}.`, { cause: thrown });
  }
}

async function sheetsOf({ relay, node }: { relay: boolean; node?: string }): Promise<Sheet[]> {
  if (relay) return [await ofRegistered()];
  const nodeKey = await newPrivateKey('RELAY_NODE_KEY', node);
  const ofGateway = [
    "# The gateway: the public half of its default relay's key; RELAY_URL says where that relay is.",
    line('RELAY_NODE_PUBLIC_KEY', publicHalf('RELAY_NODE_KEY', nodeKey)),
  ];
  const ofRelay = ['# The default relay: secret.', line('RELAY_NODE_KEY', nodeKey)];
  if (node !== undefined) {
    return [
      { file: 'gateway.env', lines: ofGateway },
      { file: 'relay.env', lines: ofRelay },
    ];
  }
  const gatewayKey = await newPrivateKey('GATEWAY_KEY');
  const gateway = [
    '# The gateway: secret.',
    line('JWT_SECRET', randomSecret()),
    line('INSTALLATION_KEY', randomSecret()),
    line('GATEWAY_KEY', gatewayKey),
    '# The gateway: secret; with them one may make organizations, and read /metrics.',
    line('NEW_ORG_TOKEN', randomSecret()),
    line('METRICS_TOKEN', randomSecret()),
    ...ofGateway,
  ];
  const relayLines = [
    ...ofRelay,
    "# The default relay: the public half of the gateway's key.",
    line('GATEWAY_PUBLIC_KEY', publicHalf('GATEWAY_KEY', gatewayKey)),
  ];
  return [
    { file: 'gateway.env', lines: gateway },
    { file: 'relay.env', lines: relayLines },
  ];
}

async function ofRegistered(): Promise<Sheet> {
  const [nodeKey, signingKey] = await Promise.all([
    newPrivateKey('RELAY_NODE_KEY'),
    newPrivateKey('RELAY_SIGNING_KEY'),
  ]);
  const body = {
    signing_key: publicHalf('RELAY_SIGNING_KEY', signingKey),
    sealing_key: publicHalf('RELAY_NODE_KEY', nodeKey),
  };
  return {
    file: 'node.env',
    lines: [
      '# The relay: secret. It needs GATEWAY_URL and RELAY_ORGANIZATION, too.',
      line('RELAY_NODE_KEY', nodeKey),
      line('RELAY_SIGNING_KEY', signingKey),
      '# To register it, POST /nodes takes the public halves beside name and url:',
      `# ${JSON.stringify(body)}`,
    ],
  };
}

/** No value has a quote in it. */
function line(name: string, value: string): string {
  return `${name}='${value}'`;
}

/** All files or none. @throws Failure when one is there: its keys may be in use */
async function writeAll(folder: string, sheets: readonly Sheet[]): Promise<void> {
  const paths = sheets.map(({ file }) => join(folder, file));
  const there = paths.find((path) => existsSync(path));
  if (there !== undefined) {
    throw new Failure(`${there} is there already: its keys may be in use; choose another folder.`);
  }
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const [index, { lines }] of sheets.entries()) {
      const path = paths[index] ?? '';
      await writeFile(path, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx' });
    }
  } catch (cause) {
    const code = systemCode(cause) ?? 'unknown cause';
    throw new Failure(`${folder} cannot be written (${code}).`, { cause });
  }
  process.stdout.write(`${paths.join('\n')}\n`);
}
