/** Accounts, lists, the audit and pages: what is asked of the gateway itself. */
import { randomUUID } from 'node:crypto';
import { RENDERER_PATH } from '../../worker/docs/renderer-path.ts';
import { always, type Operation, post } from './operation.ts';
import { basicOf, type Call, demand, PASSWORD, type Tenant } from './tenants.ts';

const get = (path: string, rest: Partial<Call> = {}): Call => ({ method: 'GET', path, ...rest });
const ENDPOINTS = 200;
const USERS = 200;
const TEMPLATES = 200;

const login = ({ id }: Tenant, password: string): Call => ({
  method: 'POST',
  path: '/api/v1/auth/login',
  authorization: basicOf(id, password),
  headers: { 'X-Org-Id': id },
});

export const accountOperations: readonly Operation[] = [
  {
    name: '/new with ten passwords',
    call: () =>
      post(
        '/new',
        JSON.stringify({
          id: `made-${randomUUID()}`,
          super_admins: Array.from({ length: 10 }, () => ({
            username: randomUUID(),
            password: PASSWORD,
          })),
        }),
        { authorization: '' },
      ),
  },
  { name: 'logins', call: (tenant) => login(tenant, PASSWORD) },
  { name: 'logins with a wrong password', call: (tenant) => login(tenant, 'another password') },
  always('a login with 10 MiB before it', () => ({
    ...post('/auth/login', `{"x":[${'12345678901234567890,'.repeat(160_000)}1]}`),
    authorization: '',
  })),
  always('/openapi.json', () => get('/openapi.json', { authorization: '' })),
  always('/docs', () => get('/docs', { authorization: '' })),
  always('the program of /docs, unpacked', () => get(RENDERER_PATH, { authorization: '' })),
  always('/help', () => get('/api/v1/help')),
  {
    ...always('a list of many endpoints', () => get('/api/v1/endpoints')),
    async setUp(tenant, over) {
      for (let index = 0; index < ENDPOINTS; index += 1) {
        const config = { write_conn: { url: 'https://api.pinecone.io', auth: 'key' } };
        const body = {
          endpoint: `e-${index}`,
          kind: 'http',
          config,
          description: 'x'.repeat(1000),
        };
        // Not reached: what is listed is the same.
        await demand(tenant, post('/endpoints', JSON.stringify(body)), over).catch(() => undefined);
      }
    },
  },
  {
    ...always('a list of many templates', () => get('/api/v1/templates')),
    async setUp(tenant, over) {
      for (let index = 0; index < TEMPLATES; index += 1) {
        const rules = [{ target: 'a', expression: '1 + 1' }];
        const body = {
          name: `t-${index}`,
          description: 'x'.repeat(1000),
          transformationRules: rules,
        };
        await demand(tenant, post('/templates', JSON.stringify(body)), over);
      }
    },
  },
  {
    ...always('a list of many users', () => get('/api/v1/iam/users')),
    async setUp(tenant, over) {
      for (let index = 0; index < USERS; index += 1) {
        const body = { username: `${tenant.id}-${index}`, access_level: 'Read' };
        await demand(tenant, post('/iam/users', JSON.stringify(body)), over);
      }
    },
  },
  always('the organization', () => get('/api/v1/organizations')),
  always('the audit', () => get('/api/v1/audit?limit=1000')),
  always('the head of the audit', () => get('/api/v1/audit/head')),
  always('an explained decision', () =>
    get('/api/v1/iam/rbac/check?resource=endpoint:measured&operation=read'),
  ),
  {
    name: 'templates of 1 MiB',
    call: (_, count) =>
      post(
        '/templates',
        JSON.stringify({
          name: `large-${count}-${randomUUID()}`,
          transformationRules: Array.from({ length: 15_000 }, (_each, index) => ({
            target: `a${index}`,
            expression: 'a + b * c',
          })),
        }),
      ),
  },
];
