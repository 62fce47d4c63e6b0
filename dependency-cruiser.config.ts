/**
 * Which room may import which. An arrow leads down: a file imports its own layer and those below
 * it, never one above. `npm run check` holds this, and tooling/rooms.test.ts breaks each rule on
 * purpose. docs/architecture.md shows the rooms as they are.
 */
import type { ICruiseOptions, IForbiddenRuleType } from 'dependency-cruiser';

/** A layer: its name, and which files are in it. */
export type Layer = readonly [name: string, pattern: string];

/** Rooms of the repository, each with the rooms that it may import beside itself. */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  proto: [],
  kinds: ['proto'],
  'node-relay': ['kinds', 'proto'],
  worker: ['kinds', 'proto', 'vendor'],
  server: ['worker', 'node-relay', 'kinds', 'proto'],
  tooling: ['test', 'server', 'worker', 'kinds', 'proto'],
  bench: ['test', 'server', 'worker', 'node-relay', 'kinds', 'proto'],
};

const SLICES =
  'auth|organizations|users|keys|grants|endpoints|nodes|templates|workflows|audit|json';
/** Files of a slice that answer its operations; all others are its resources: rows, rights, definitions. */
const OPERATIONS =
  '[\\w-]*routes|options|connect|create|get|update|rotate|delete|test-connection|inspect|render|admit|remove|sweep/sweep';
/** Of the triggers of workflows, what is no part of starting runs. */
const ROWS = 'rows|state|store';

/** Layers of the worker, from the street to the cellar. */
export const LAYERS: readonly Layer[] = [
  ['entry', '^worker/((index|app)\\.ts$|runtimes/(?!runtime-site\\.ts$))'],
  ['documents and facades', '^worker/(openapi|docs|help|facades)/'],
  [
    'operations',
    `^worker/((${SLICES})/(${OPERATIONS})\\.ts$|workflows/executions/|transactions/[\\w-]+\\.ts$|events/(routes|send|schema)\\.ts$|tasks/)`,
  ],
  ['http', '^worker/http/'],
  [
    'runs',
    `^worker/((runs|workflows/runs|transactions/log|schedules|data-changes|deliveries)/|workflows/triggers/(?!(${ROWS})\\.ts$)|events/(?!(routes|send|schema)\\.ts$))`,
  ],
  ['calls', '^worker/calls/'],
  ['once', '^worker/idempotency/'],
  ['reach', '^worker/reach/'],
  [
    'resources',
    `^worker/(${SLICES})/(?!(${OPERATIONS})\\.ts$|runs/|executions/|triggers/(?!(${ROWS})\\.ts$))`,
  ],
  ['operation', '^worker/route\\.ts$'],
  ['ground', '^worker/(access|drivers|limits|secrets|language|shapes)/'],
  ['cellar', '^worker/(db/|runtimes/runtime-site\\.ts$|(?!index|app|route)[\\w-]+\\.ts$)'],
];

/** Layers of the relay. */
export const RELAY_LAYERS: readonly Layer[] = [
  ['main', '^node-relay/main\\.ts$'],
  ['parts', '^node-relay/parts/'],
  ['service', '^node-relay/(?!main)[\\w-]+\\.ts$'],
  ['drivers', '^node-relay/drivers/'],
];

/**
 * Files whose types, and nothing else of them, lead up: the context names the objects that
 * wrangler.toml binds, rows name what their columns hold, an operation names what it declares.
 */
const TYPES_LEAD_UP = [
  '^worker/(context|outcome)\\.ts$',
  '^worker/route\\.ts$',
  '^worker/db/(audit|schema)\\.ts$',
  '^worker/auth/login\\.ts$',
  '^node-relay/(server|calls|service)\\.ts$',
];

/** Tests and what only they use may import more. */
const TESTS = '\\.test\\.ts$|/test/|/(test-|contract)[\\w-]*\\.ts$';
const sources = (path: string) => ({ path, pathNot: TESTS });

const rooms = Object.entries(ROOMS).map(
  ([room, others]): IForbiddenRuleType => ({
    name: `${room} imports ${others.join(', ') || 'no other room'}`,
    severity: 'error',
    from: sources(`^${room}/`),
    to: {
      path: '^(proto|kinds|worker|node-relay|server|tooling|bench|test|vendor)/',
      pathNot: `^(${[room, ...others].join('|')})/`,
    },
  }),
);

const typesOf = (name: string, path: string, above: string[]): IForbiddenRuleType => ({
  name: `${name} imports no types above it`,
  severity: 'error',
  from: { path, pathNot: [TESTS, ...TYPES_LEAD_UP] },
  to: { path: above, dependencyTypes: ['type-only'] },
});

const upward = (layers: readonly Layer[]) =>
  layers.slice(1).flatMap(([name, pattern], at): IForbiddenRuleType[] => {
    const above = layers.slice(0, at + 1).map(([, higher]) => higher);
    return [
      {
        name: `${name} imports nothing above it`,
        severity: 'error',
        from: sources(pattern),
        to: { path: above, dependencyTypesNot: ['type-only'] },
      },
      ...(TYPES_LEAD_UP.includes(pattern) ? [] : [typesOf(name, pattern, above)]),
    ];
  });

/** What may not be, each with its name. */
export const FORBIDDEN: IForbiddenRuleType[] = [
  ...rooms,
  ...upward(LAYERS),
  ...upward(RELAY_LAYERS),
  {
    name: 'no circle by value',
    severity: 'error',
    from: sources('^'),
    to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
  },
  {
    name: 'no circle beyond one folder',
    severity: 'error',
    from: sources('^(.*/)[^/]+$'),
    to: { circular: true, via: { pathNot: '^$1[^/]+$' } },
  },
  {
    name: 'queries live in store.ts',
    severity: 'error',
    from: {
      path: '^worker/',
      pathNot: '/store\\.ts$|^worker/(db/|context\\.ts)|\\.test\\.ts$|/test/',
    },
    to: { path: 'node_modules/drizzle-orm' },
  },
  {
    name: 'only what mounts routes imports them',
    severity: 'error',
    from: { path: '^worker/', pathNot: '^worker/app\\.ts$|routes\\.ts$|\\.test\\.ts$|/test/' },
    to: { path: '^worker/[a-z]+/(kind-)?routes\\.ts$' },
  },
  {
    name: 'what runs imports no test support',
    severity: 'error',
    from: {
      path: '^(proto|kinds|worker|node-relay|server)/',
      pathNot: TESTS,
    },
    to: { path: '/test/|\\.test\\.ts$|^test/' },
  },
  {
    name: 'the relay loads nothing that only describes',
    severity: 'error',
    from: sources('^(node-relay|kinds/[\\w-]+/(?!describe/))'),
    to: { path: '^kinds/(describe\\.ts|[\\w-]+/describe/)' },
  },
];

/** How imports are found. */
export const OPTIONS: ICruiseOptions = {
  parser: 'swc',
  moduleSystems: ['es6'],
  tsPreCompilationDeps: true,
  doNotFollow: { path: 'node_modules' },
  exclude: { path: '(^|/)test/conformance/|^proto/gen/|^test/(?!servers/|suites/)' },
};
