/** Entry point of the worker. */
import { createApp } from './app.ts';

export default createApp({ now: Date.now, fetch: (request) => fetch(request) });
