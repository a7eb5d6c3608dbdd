import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// While the page is worked on, `solitree serve --port 8000` answers for it.
const target = `http://127.0.0.1:${process.env["SOLITREE_PORT"] ?? 8000}`;

// The server's policy allows no inline scripts or styles, and no other origin.
export default defineConfig({
  plugins: [svelte()],
  base: "./",
  build: {
    outDir: "../crates/server/page",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
  server: { proxy: { "/api": { target, ws: true, changeOrigin: true, headers: { origin: target } } } },
  test: { include: ["tests/**/*.test.ts"] },
});
