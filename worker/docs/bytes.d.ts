/** Files that wrangler.toml's rules and server/bundle.ts make modules of bytes. */
declare module '*.gz' {
  const bytes: ArrayBuffer;
  // biome-ignore lint/style/noDefaultExport: it has no other name.
  export default bytes;
}
