/** Workflows of an organization that follow changes, and the runs that come of them. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Json, JsonObject } from '../../proto/json.ts';
import type { Organization } from '../organization.ts';

const ENDED = ['succeeded', 'failed'];

/** A run as lists tell it. */
interface ListedRun {
  readonly run_id: string;
  readonly status: string;
}

/** A run as its record reports it. */
interface ToldRun {
  readonly run_id: string;
  readonly status: string;
  readonly trigger: JsonObject;
  readonly started_by: string;
  readonly input?: Json;
  readonly error?: JsonObject;
  readonly started: string;
  readonly ended?: string;
  readonly actions: readonly { readonly started: string; readonly ended?: string }[];
}

/** An organization with a template that workflows of tests use. */
export class Follower {
  readonly organization: Organization;

  protected constructor(organization: Organization) {
    this.organization = organization;
  }

  static async of(organization: Organization): Promise<Follower> {
    await Follower.store(organization);
    return new Follower(organization);
  }

  /** Stores the template `echo`. */
  protected static async store(organization: Organization): Promise<void> {
    const rules = [{ target: 'value', source: 'value' }];
    const echo = { id: 'echo', name: 'Echo', transformationRules: rules };
    expect(await organization.call('POST', '/templates', echo)).toMatchObject({ status: 200 });
  }

  /** Stores a workflow with one action that answers at once; answers its id. */
  async workflow(trigger: Json, more: JsonObject = {}): Promise<string> {
    const id = `w-${randomUUID().slice(0, 8)}`;
    const action = { id: 'only', type: 'template', template: 'echo', input: { value: 1 } };
    const body = { id, name: id, trigger, actions: [action], ...more };
    const reply = await this.organization.call('POST', '/workflows', body);
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
    return id;
  }

  /** What storing such a workflow answers. */
  async refused(trigger: Json): Promise<{ status: number; details: unknown }> {
    const id = `w-${randomUUID().slice(0, 8)}`;
    const action = { id: 'only', type: 'template', template: 'echo', input: { value: 1 } };
    const body = { id, name: id, trigger, actions: [action] };
    const { status, body: told } = await this.organization.call('POST', '/workflows', body);
    return { status, details: (told as JsonObject).details };
  }

  patch(workflow: string, body: JsonObject) {
    return this.organization.call('PATCH', `/workflows/${workflow}`, body);
  }

  /** All runs of a workflow as lists tell them, the newest first. */
  async listed(workflow: string): Promise<ListedRun[]> {
    const runs: ListedRun[] = [];
    let cursor = '';
    do {
      const query = `?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const path = `/workflows/${workflow}/executions${query}`;
      const { body } = await this.organization.call('GET', path);
      const page = body as { executions: ListedRun[]; next_cursor?: string };
      runs.push(...page.executions);
      cursor = page.next_cursor ?? '';
    } while (cursor !== '');
    return runs;
  }

  /** The records of a workflow's runs, the oldest first, once there are so many and all have ended. */
  async ended(workflow: string, count: number): Promise<ToldRun[]> {
    let runs: ListedRun[] = [];
    const endedRuns = async () => {
      runs = await this.listed(workflow);
      return runs.filter(({ status }) => ENDED.includes(status)).length;
    };
    await expect.poll(endedRuns, { timeout: 30_000, interval: 100 }).toBe(count);
    const path = `/workflows/${workflow}/executions`;
    const records = runs.toReversed().map(async ({ run_id }) => {
      return (await this.organization.call('GET', `${path}/${run_id}`)).body as ToldRun;
    });
    return Promise.all(records);
  }

  /** The state of the triggers of a workflow. */
  async states(workflow: string): Promise<unknown> {
    const { body } = await this.organization.call('GET', `/workflows/${workflow}/triggers`);
    return (body as { triggers: unknown }).triggers;
  }
}
