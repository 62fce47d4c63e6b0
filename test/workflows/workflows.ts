/** Workflows of one organization, run from the outside by tests. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Json, JsonObject } from '../../proto/json.ts';
import type { Organization } from '../organization.ts';

const ENDED = ['succeeded', 'failed', 'cancelled'];

/** What a record says, as its schema says. */
export interface Told {
  readonly run_id: string;
  readonly status: string;
  readonly started_by: string;
  readonly error?: unknown;
}

/** An action that answers the member `value` of its input. */
export function echo(id: string): JsonObject {
  return { id, type: 'template', template: 'echo', input: { value: '$.input.value' } };
}

/** How a run failed. */
export async function failureOf(told: Told | Promise<Told>): Promise<unknown> {
  const { status, error } = await told;
  expect(status).toBe('failed');
  return error;
}

/** Workflows that tests store, and their runs. */
export class Workflows {
  readonly #organization: Organization;

  constructor(organization: Organization) {
    this.#organization = organization;
  }

  /** Stores the template of `echo`, and the workflow `echo-it` of that alone. */
  async addEcho(): Promise<void> {
    const transformationRules = [{ target: 'value', source: 'value' }];
    await this.made('/templates', { id: 'echo', name: 'Echo', transformationRules });
    await this.made('/workflows', { id: 'echo-it', name: 'Echo it', actions: [echo('only')] });
  }

  /** Stores something. */
  async made(path: string, body: JsonObject): Promise<void> {
    expect(await this.#organization.call('POST', path, body)).toMatchObject({ status: 200 });
  }

  /** Stores a workflow of these actions; answers its id. */
  async add(actions: readonly Json[], more: JsonObject = {}): Promise<string> {
    const id = `w-${randomUUID().slice(0, 8)}`;
    await this.made('/workflows', { id, name: id, actions: [...actions], ...more });
    return id;
  }

  /** Runs a workflow to its end. */
  async run(id: string, input: JsonObject = {}): Promise<Told> {
    return this.ended(id, await this.start(id, input));
  }

  /** Starts a run; answers its id. */
  async start(id: string, input: JsonObject = {}): Promise<string> {
    const reply = await this.#organization.call('POST', `/workflows/${id}`, input);
    expect(reply).toMatchObject({ status: 202 });
    return (reply.body as Told).run_id;
  }

  /** A run's record, once the run has ended. */
  async ended(id: string, execution: string): Promise<Told> {
    const poll = async () => ENDED.includes((await this.#record(id, execution)).status);
    await expect.poll(poll, { timeout: 60_000, interval: 100 }).toBe(true);
    return this.#record(id, execution);
  }

  /** A run's record, once none of the run goes on by itself. */
  async waits(id: string, execution: string): Promise<Told> {
    const poll = async () => (await this.#record(id, execution)).status;
    await expect.poll(poll, { timeout: 20_000 }).toBe('waiting');
    return this.#record(id, execution);
  }

  async #record(id: string, execution: string): Promise<Told> {
    const path = `/workflows/${id}/executions/${execution}`;
    const { body } = await this.#organization.call('GET', path);
    return body as Told;
  }
}
