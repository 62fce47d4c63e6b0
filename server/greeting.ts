/** What `npm start` prints when it is ready: where it is, and lines to paste into a shell. */
import type { DemoLogin } from './demo.ts';

/** What the printed lines are made of. */
export interface Greeting {
  /** Such as `http://127.0.0.1:8787`. */
  readonly gateway: string;
  /** For the first organization; the same at every start of the same data folder. */
  readonly password: string;
  /** `POST /new` needs `NEW_ORG_TOKEN`. */
  readonly newOrgToken: boolean;
  readonly demo?: { readonly login: DemoLogin; readonly databaseUrl: string } | undefined;
}

const TYPE = "-H 'Content-Type: application/json'";
const BEARER = '-H "Authorization: Bearer $TOKEN"';
const QUERY = { type: 'query', query: 'SELECT version()' };
const DEMO_QUERY = {
  type: 'query',
  query:
    'SELECT category, sum(quantity * unit_price) AS revenue FROM order_items JOIN products ON id = product_id GROUP BY category ORDER BY revenue DESC LIMIT $1',
  params: [3],
};
const ORDER = {
  number: '2026-117',
  items: [
    { sku: 'A-1', price: 9.99, quantity: 3 },
    { sku: 'B-7', price: 120, quantity: 1 },
  ],
};

/** Every line that begins with `curl` or `TOKEN=` runs as it is in a POSIX shell. */
export function greeting({ gateway, password, newOrgToken, demo }: Greeting): string {
  const api = `${gateway}/api/v1`;
  const permit = newOrgToken ? ' -H "Authorization: Bearer $NEW_ORG_TOKEN"' : '';
  const first = {
    id: 'acme',
    super_admins: [{ username: 'admin@acme.example', password }],
  };
  const lines = [
    `Causeway answers at ${gateway}`,
    `Documentation: ${gateway}/docs`,
    '',
    '# Create an organization, log in, connect a database, read from it:',
    `curl -sS ${api}/new${permit} ${TYPE} -d '${JSON.stringify(first)}'; echo`,
    logIn(api, 'acme', `admin@acme.example:${password}`),
    `curl -sS ${api}/endpoints ${BEARER} ${TYPE} -d '${endpointBody(demo?.databaseUrl)}'; echo`,
    read(api, 'orders', QUERY),
  ];
  if (demo !== undefined) {
    const { username, password: demoPassword } = demo.login;
    lines.push(
      '',
      `# The demo: organization demo, user ${username}, password ${demoPassword}, endpoint shop`,
      logIn(api, 'demo', `${username}:${demoPassword}`),
      read(api, 'shop', DEMO_QUERY),
      '# Its template order-totals, with a tax rate of 10 %:',
      `curl -sS '${api}/templates/order-totals?parameters.rate=0.1' ${BEARER} ${TYPE} -d '${JSON.stringify(ORDER)}'; echo`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function logIn(api: string, organization: string, userAndPassword: string): string {
  const curl = `curl -sS -u '${userAndPassword}' -H 'X-Org-Id: ${organization}' -X POST ${api}/auth/login`;
  return `TOKEN=$(${curl} | sed -n 's/.*"token":"\\([^"]*\\)".*/\\1/p')`;
}

function read(api: string, endpoint: string, query: object): string {
  return `curl -sS ${api}/endpoints/${endpoint}/read ${BEARER} ${TYPE} -d '${JSON.stringify(query)}'; echo`;
}

/** Without the demo the database is the reader's own: DATABASE_URL, or a server with the usual defaults. */
function endpointBody(databaseUrl: string | undefined): string {
  const url =
    databaseUrl ?? `'"\${DATABASE_URL:-postgresql://postgres:postgres@127.0.0.1:5432/postgres}"'`;
  return `{"endpoint":"orders","kind":"postgres","config":{"write_conn":{"url":"${url}"}}}`;
}
