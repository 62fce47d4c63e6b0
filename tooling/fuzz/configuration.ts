/** What the generator is told, as its TOML file: how to log in, what to look at, and names that exist. */
import { ENDPOINTS, PASSWORD, TEMPLATES } from './attacker.ts';
import { STAND_INS } from './stand-ins.ts';
import type { Victim } from './victim.ts';

/** What the names that exist are taken from. */
interface Names {
  readonly victim: Victim;
  /** URL of the backend that can be reached. */
  readonly database: string;
}

const STATEMENTS = [
  'SELECT 1',
  'SELECT * FROM customers ORDER BY id LIMIT 3',
  'SELECT $1::text AS a, $2::text AS b',
  'SELECT 9223372036854775807::bigint, 1e400::numeric, now(), NULL, ARRAY[1,2], \'{"a":1}\'::jsonb',
  'INSERT INTO products SELECT * FROM products WHERE id = 1',
  'UPDATE products SET stock = stock + 1 WHERE id = 7',
  'SELECT * FROM missing',
  'SELEC 1',
  'SELECT 1/0',
  'SELECT pg_sleep(0.02)',
  'SELECT generate_series(1, 3000)',
  'COPY customers TO STDOUT',
  'COPY order_items FROM STDIN',
  'BEGIN',
  'COMMIT',
  'SELECT 1; SELECT 2',
];

/** Of Redis, as the path of a request. */
const COMMANDS = [
  ...['get/k', 'set/k/1', 'incr/k', 'mget/k/l', 'lpush/l/a/b', 'lrange/l/0/-1', 'hset/h/f/v'],
  ...['hgetall/h', 'xadd/x/*/f/v', 'eval/return 1/0', 'set/k/1/EX/x', 'get', 'no-such/k', 'ping'],
];

/** By the name of what they are put instead of, and how often. */
function dictionaries({ victim, database }: Names): Record<string, [number, string[]]> {
  const [first, second, cache] = ENDPOINTS;
  const { self, colleague } = STAND_INS;
  const users = [self, colleague, 'group:readers', victim.username];
  const endpoints = [first, first, first, second, cache, victim.endpoint, victim.endpointUuid];
  const templates = [...TEMPLATES, ...TEMPLATES, victim.template];
  const connections = [database, database, database, 'postgresql://u:p@127.0.0.1:1/d'];
  return {
    'path.endpoint': [0.8, endpoints],
    'path.template': [0.8, templates],
    'path.command': [0.8, COMMANDS],
    'path.user': [0.8, users],
    'path.subject': [0.8, users],
    'path.gateway_node_uuid': [0.8, [STAND_INS.node]],
    'path.session_id': [0.5, [STAND_INS.session]],
    'query.resource': [
      0.7,
      [`endpoint:${first}`, 'organization', `endpoint:${victim.endpointUuid}`],
    ],
    'query.version': [0.5, ['1.0.0', '9']],
    'query.operation': [0.7, ['read', 'GET /api/v1/endpoints', 'delete']],
    'query.subject': [0.5, users],
    'header.X-Org-Id': [0.7, [STAND_INS.organization, victim.organization]],
    'header.X-Session-Id': [0.8, [STAND_INS.session]],
    'header.Idempotency-Key': [0.15, ['key-1', 'key-2', 'key-3']],
    'header.If-Match': [0.9, ['*', '*', '*', `"${STAND_INS.tag}"`, '"1"']],
    'body.query': [0.7, STATEMENTS],
    'body.operations[*].query': [0.7, STATEMENTS],
    'body.kind': [0.8, ['postgres', 'mysql']],
    'body.config.write_conn.url': [0.9, connections],
    'body.config.read_conn.url': [0.9, connections],
    'body.config.development_conn.url': [0.9, connections],
    'body.email': [0.5, [colleague]],
    'body.redirectUrl': [0.7, ['http://127.0.0.1/reset']],
    'body.token': [0.5, [STAND_INS.reset]],
    'body.username': [0.3, [colleague]],
    'body.current_password': [0.5, [PASSWORD]],
    'body.subject': [0.7, users],
    'body.entity': [0.7, endpoints],
    'body.template.endpoint': [0.7, endpoints],
    'body.template.query': [0.7, STATEMENTS],
    'body.endpoint_id': [0.7, endpoints],
  };
}

/** The file's text. */
export function configuration(names: Names): string {
  const all = Object.entries(dictionaries(names));
  return `${[
    'continue-on-failure = true',
    'request-timeout = 60',
    'warnings = false',
    '[output.sanitization]',
    'enabled = false',
    '[generation]',
    'database = "none"',
    // Invalid tokens are sent in the coverage phase, and by the check that asks without one.
    'with-security-parameters = false',
    '[phases.coverage.generation]',
    'with-security-parameters = true',
    '[auth.openapi.bearer]',
    `bearer = ${JSON.stringify(STAND_INS.token)}`,
    '[auth.openapi.basic]',
    `username = ${JSON.stringify(STAND_INS.self)}`,
    `password = ${JSON.stringify(PASSWORD)}`,
    ...all.flatMap(([, [, values]], index) => [
      `[dictionaries.d${index}]`,
      `values = ${JSON.stringify(values)}`,
    ]),
    // Contract §2: a login without `Authorization` is a bad request.
    '[[operations]]',
    'include-path = "/api/v1/auth/login"',
    'checks = { ignored_auth = { enabled = false } }',
    '[parameters]',
    ...all.map(
      ([name, [probability]], index) =>
        `${JSON.stringify(name)} = { dictionary = "d${index}", probability = ${probability} }`,
    ),
  ].join('\n')}\n`;
}
