/** What `npm start` prints when it is ready: where it is, and lines to paste into a shell. */
import { join } from 'node:path';
import { FIRST } from './first-organization.ts';

/** What the printed lines are made of. */
interface Greeting {
  /** Such as `http://127.0.0.1:8787`. */
  readonly gateway: string;
  /** Absolute path. */
  readonly dataFolder: string;
  /** Where the relay listens, `host:port` of ours, else its URL. */
  readonly relay: string;
  /** `host:port` of the demo's PostgreSQL. */
  readonly database?: string | undefined;
  /** Of the first user; the same at every start of the same data folder. */
  readonly password: string;
  /** `POST /new` needs `NEW_ORG_TOKEN`. */
  readonly newOrgToken: boolean;
  /** What the relay elsewhere needs as its GATEWAY_PUBLIC_KEY; undefined where ours runs. */
  readonly relayKey: string | undefined;
  /** The organization, its endpoint, templates and workflows are there already. */
  readonly demo: boolean;
}

const TYPE = "-H 'Content-Type: application/json'";
const BEARER = '-H "Authorization: Bearer $TOKEN"';
const QUERY = { query: 'SELECT version()' };
const DEMO_QUERY = {
  query:
    'SELECT category, sum(quantity * unit_price) AS revenue FROM order_items JOIN products ON id = product_id GROUP BY category ORDER BY revenue DESC LIMIT $1',
  params: [3],
};
const ORDER = {
  customer: { name: ' ada ' },
  items: [
    { sku: 'SKU-0001', price: 12.5, quantity: 2 },
    { sku: 'SKU-0002', price: 120, quantity: 1 },
  ],
};
/** An order of the demo that is paid. */
const PAID = 599;

/** Every line that begins with `curl` or `TOKEN=` runs as it is in a POSIX shell. */
export function greeting(about: Greeting): string {
  const { gateway, demo } = about;
  const api = `${gateway}/api/v1`;
  const lines = [
    `Causeway answers at ${gateway}`,
    `Documentation: ${gateway}/docs`,
    `Relay: ${about.relay}`,
    ...(about.database === undefined ? [] : [databaseLine(about.database, about.dataFolder)]),
    `Data, with the keys that open it: ${about.dataFolder}`,
    ...(about.relayKey === undefined ? [] : [`The relay's GATEWAY_PUBLIC_KEY: ${about.relayKey}`]),
    '',
    ...(demo ? demoLines(api, about) : ownLines(api, about)),
  ];
  return `${lines.join('\n')}\n`;
}

/** Who logs in there; of the password only its file is told. */
function databaseLine(address: string, dataFolder: string): string {
  const password = join(dataFolder, 'demo', 'shop-password');
  return `The demo's PostgreSQL: ${address}, database shop, user shop, password in ${password}`;
}

function demoLines(api: string, { password }: Greeting): string[] {
  const { organization, username, endpoint } = FIRST;
  return [
    `# The demo: organization ${organization}, user ${username}, password ${password}, endpoint ${endpoint}`,
    '# Log in, read from it, run its template order-summary with a tax rate of 25 %, start its workflow ship-order:',
    logIn(api, password),
    read(api, endpoint, DEMO_QUERY),
    `curl -sS '${api}/templates/order-summary?parameters.rate=0.25' ${BEARER} ${TYPE} -d '${JSON.stringify(ORDER)}'; echo`,
    `curl -sS ${api}/workflows/ship-order ${BEARER} ${TYPE} -d '{"id":${PAID}}'; echo`,
  ];
}

function ownLines(api: string, { password, newOrgToken }: Greeting): string[] {
  const permit = newOrgToken ? ' -H "Authorization: Bearer $NEW_ORG_TOKEN"' : '';
  const first = {
    id: FIRST.organization,
    super_admins: [{ username: FIRST.username, password }],
  };
  return [
    `# Set DATABASE_URL to the URL of your PostgreSQL; without it, ${DATABASE_DEFAULT} is taken.`,
    '# Create an organization, log in, connect the database, read from it:',
    `curl -sS ${api}/new${permit} ${TYPE} -d '${JSON.stringify(first)}'; echo`,
    logIn(api, password),
    `curl -sS ${api}/endpoints ${BEARER} ${TYPE} -d '${ENDPOINT_BODY}'; echo`,
    read(api, 'main', QUERY),
  ];
}

function logIn(api: string, password: string): string {
  const curl = `curl -sS -u '${FIRST.username}:${password}' -H 'X-Org-Id: ${FIRST.organization}' -X POST ${api}/auth/login`;
  return `TOKEN=$(${curl} | sed -n 's/.*"token":"\\([^"]*\\)".*/\\1/p')`;
}

function read(api: string, endpoint: string, query: object): string {
  return `curl -sS ${api}/endpoints/${endpoint}/read ${BEARER} ${TYPE} -d '${JSON.stringify(query)}'; echo`;
}

/** The reader's own database: DATABASE_URL, or a server with the usual defaults. */
const DATABASE_DEFAULT = 'postgresql://postgres:postgres@127.0.0.1:5432/postgres';
const DATABASE = `'"\${DATABASE_URL:-${DATABASE_DEFAULT}}"'`;
const ENDPOINT_BODY = `{"endpoint":"main","kind":"postgres","config":{"write_conn":{"url":"${DATABASE}"}}}`;
