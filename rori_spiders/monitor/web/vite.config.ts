import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

// `npm run dev` shows the page of a monitor that runs elsewhere: MONITOR=http://127.0.0.1:8650 npm run dev
const monitor = process.env.MONITOR ?? 'http://127.0.0.1:8650'
const forwarded = Object.fromEntries(['/api', '/login', '/logout'].map((path) => [path, monitor]))

export default defineConfig({
  plugins: [react(), tailwindcss()],
  resolve: { alias: { '@': fileURLToPath(new URL('src', import.meta.url)) } },
  server: { proxy: forwarded },
  build: {
    outDir: '../page',
    emptyOutDir: true,
    target: ['chrome123', 'firefox120', 'safari17.5'], // the first that know light-dark(), which the colours are made of
    assetsInlineLimit: 0, // the Content-Security-Policy lets nothing in but files
    modulePreload: { polyfill: false },
    license: { fileName: 'licenses.md' }, // of all that travels in the bundle
  },
})
