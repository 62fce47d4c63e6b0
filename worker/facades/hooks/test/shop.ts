/** A gateway whose workflows listen at `/hooks`, and the means to send to them as others do. */
import { sign } from '@octokit/webhooks-methods';
import type { Json, JsonObject } from '../../../../proto/json.ts';
import { type Setup, startGateway } from '../../../test/gateway.ts';

/** The secret of its webhooks. */
export const SECRET = 'a secret of the shop';
/** The header of scheme `plain` that they look at. */
export const SIGNATURE = 'X-Shop-Signature';

/** What was answered. */
interface Answer {
  readonly status: number;
  readonly body: Json;
  /** The body as it came. */
  readonly text: string;
  readonly headers: Headers;
}

/** What of an answer tests compare. */
export const told = ({ status, body }: Answer) => ({ status, body });

/** As GitHub and its like sign. */
export async function signed(body: string, secret = SECRET): Promise<Record<string, string>> {
  return { [SIGNATURE]: await sign(secret, body) };
}

/** A webhook trigger of scheme `plain`. */
export function hook(path: string, more: JsonObject = {}, authentication: JsonObject = {}) {
  const own = { type: 'hmac', header: SIGNATURE, secret: SECRET, ...authentication };
  return { type: 'webhook', path, authentication: own, ...more };
}

/** A gateway with a template `echo`, which answers its input. */
export async function startShop(setup: Setup = {}) {
  const gateway = await startGateway('Admin', setup);
  gateway.clock.now = Date.now();
  const { organization } = gateway;
  const made = async (path: string, body: JsonObject) => {
    const reply = await gateway.call('POST', path, body);
    if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
  };
  await made('/templates', {
    id: 'echo',
    name: 'Echo',
    transformationRules: [{ target: 'of', source: '$' }],
  });

  /** Sends to a path below the organization's. */
  async function post(
    path: string,
    body: BodyInit | undefined,
    headers: Readonly<Record<string, string>> = {},
    org = organization.id,
  ): Promise<Answer> {
    const json = { 'Content-Type': 'application/json' };
    const init = {
      method: 'POST',
      headers: { ...json, ...headers },
      ...(body === undefined ? {} : { body }),
    };
    const response = await gateway.send(`/../../hooks/${org}/${path}`, init);
    const text = await response.text();
    const { status, headers: given } = response;
    return { status, body: JSON.parse(text) as Json, text, headers: given }; // A reply is JSON.
  }

  return {
    ...gateway,
    post,
    /** Stores a workflow that answers its input. */
    async store(id: string, trigger: Json, more: JsonObject = {}): Promise<void> {
      const actions = [{ id: 'only', type: 'template', template: 'echo', input: '$.input' }];
      await made('/workflows', { id, name: id, trigger, actions, ...more });
    },
    /** Sends JSON as the shop signs it. */
    async deliver(path: string, body: Json, headers: Record<string, string> = {}): Promise<Answer> {
      const text = JSON.stringify(body);
      const own = { 'Content-Type': 'application/json', ...(await signed(text)), ...headers };
      return post(path, text, own);
    },
    /** The records of a workflow's runs, the oldest first. */
    async runsOf(id: string): Promise<readonly JsonObject[]> {
      const { body } = await gateway.call('GET', `/workflows/${id}/executions`);
      return (body as { executions: JsonObject[] }).executions.toReversed();
    },
  };
}

/** What `startShop` makes. */
export type Shop = Awaited<ReturnType<typeof startShop>>;
