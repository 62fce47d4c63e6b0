/** The baseline of bench/workflows.ts: the same workflows written by hand for the platform's Workflows. */
import { DurableObject, WorkflowEntrypoint } from 'cloudflare:workers';

const STEPS = {
  pure: async (step, { n }) => {
    const one = await step.do('one', async () => ({ n: n + 1 }));
    const two = await step.do('two', async () => ({ n: one.n + 1 }));
    return step.do('three', async () => ({ n: two.n + 1 }));
  },
  redis: async (step, { key, value }, backend) => {
    const ask = (...command) =>
      backend
        .fetch('http://redis/', { method: 'POST', body: JSON.stringify(command) })
        .then((reply) => reply.json());
    await step.do('store', () => ask('SET', key, value));
    const loaded = await step.do('load', () => ask('GET', key));
    return step.do('measure', () => ask('STRLEN', key)).then((length) => ({ loaded, length }));
  },
};

export class Flow extends WorkflowEntrypoint {
  async run({ payload, instanceId }, step) {
    const output = await STEPS[payload.name](step, payload.input, this.env.BACKEND);
    await this.env.ENDS.getByName('ends').told(instanceId, output);
    return output;
  }
}

/** Where the handler learns of the end of an instance, at once. */
export class Ends extends DurableObject {
  #waiting = new Map();

  of(id) {
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  told(id, output) {
    this.#waiting.get(id)?.(output);
    this.#waiting.delete(id);
  }
}

// biome-ignore lint/style/noDefaultExport: the runtime asks for it
export default {
  /** `POST /name` runs a workflow and answers its output. */
  async fetch(request, env) {
    const id = crypto.randomUUID();
    const ended = env.ENDS.getByName('ends').of(id);
    const name = new URL(request.url).pathname.slice(1);
    await env.FLOW.create({ id, params: { name, input: await request.json() } });
    const output = await ended;
    return Response.json(output);
  },
};
