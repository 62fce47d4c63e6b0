/** Runs the project's command-line tools. */
import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { ROOT } from './bundle.ts';

/** How a tool ended, and all that it wrote, in order. */
export interface ToolResult {
  readonly ok: boolean;
  readonly output: string;
}

/** The environment in which `node` and the tools are those of node_modules. */
export function toolEnvironment(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    PATH: [join(ROOT, 'node_modules/.bin'), process.env.PATH ?? ''].join(delimiter),
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_HIDE_BANNER: 'true',
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  };
}

/** Runs a tool of node_modules in the project's folder. It gets no input. */
export function runTool(name: string, args: readonly string[]): Promise<ToolResult> {
  return new Promise((resolve) => {
    const options = { cwd: ROOT, env: toolEnvironment(), maxBuffer: 64 * 1024 * 1024 };
    execFile(join(ROOT, 'node_modules/.bin', name), args, options, (failure, stdout, stderr) => {
      const why = failure && stdout + stderr === '' ? failure.message : '';
      resolve({ ok: failure === null, output: (stdout + stderr + why).trim() });
    }).stdin?.end();
  });
}
