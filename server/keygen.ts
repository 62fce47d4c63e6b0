/** `npm run keygen`: new keys for a deployment, each with the place where it goes. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { randomSecret } from './data-folder.ts';
import { Failure, runScript, systemCode } from './failure.ts';
import { newPrivateKey, publicHalf } from './key-pairs.ts';

const HELP = `Makes new keys for a gateway and a relay that run apart, and says where each goes.

Usage: npm run keygen --silent -- [flags]

  --relay         keys of a further relay alone
  --node UUID     the relay's new key belongs to the node of that UUID: to change the key of a
                  default relay without changing its node (see docs/operate.md)
  --out FOLDER    writes gateway.env and relay.env there, mode 0600, in place of printing them
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
  const sheets = await sheetsOf(relay, node?.toLowerCase());
  if (out !== undefined) await writeAll(out, sheets);
  else process.stdout.write(`${sheets.flatMap(({ lines }) => lines).join('\n')}\n`);
});

function flagsOf(args: string[]) {
  try {
    return parseArgs({ args, options: FLAGS }).values;
  } catch (thrown) {
    const [sentence] = thrown instanceof Error ? thrown.message.split('. ') : [];
    throw new Failure(`${sentence}; see --help.`, { cause: thrown });
  }
}

async function sheetsOf(relayAlone: boolean, node: string | undefined): Promise<Sheet[]> {
  const [gatewayKey, nodeKey, signingKey] = await Promise.all([
    newPrivateKey('GATEWAY_KEY'),
    newPrivateKey('RELAY_NODE_KEY', node),
    newPrivateKey('RELAY_SIGNING_KEY'),
  ]);
  const sealing = publicHalf('RELAY_NODE_KEY', nodeKey);
  const body = { signing_key: publicHalf('RELAY_SIGNING_KEY', signingKey), sealing_key: sealing };
  const relay: Sheet = {
    file: 'relay.env',
    lines: [
      '# The relay: secret.',
      line('RELAY_NODE_KEY', nodeKey),
      line('RELAY_SIGNING_KEY', signingKey),
      ...(relayAlone
        ? []
        : [
            "# The relay: the public half of the gateway's key.",
            line('GATEWAY_PUBLIC_KEY', publicHalf('GATEWAY_KEY', gatewayKey)),
          ]),
      '# To register the relay as a node of one organization, POST /nodes takes its public halves:',
      `# ${JSON.stringify(body)}`,
    ],
  };
  const ofRelay = [
    "# The gateway: the public half of its default relay's key; RELAY_URL says where that relay is.",
    line('RELAY_NODE_PUBLIC_KEY', sealing),
  ];
  if (relayAlone) return [{ file: 'gateway.env', lines: ofRelay }, relay];
  const gateway: Sheet = {
    file: 'gateway.env',
    lines: [
      '# The gateway: secret.',
      line('JWT_SECRET', randomSecret()),
      line('INSTALLATION_KEY', randomSecret()),
      line('GATEWAY_KEY', gatewayKey),
      '# The gateway: secret; who has them may make organizations, and read /metrics.',
      line('NEW_ORG_TOKEN', randomSecret()),
      line('METRICS_TOKEN', randomSecret()),
      ...ofRelay,
    ],
  };
  return [gateway, relay];
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
