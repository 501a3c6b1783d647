import { svelte } from '@sveltejs/vite-plugin-svelte'
import vue from '@vitejs/plugin-vue'

const PAGES = ['react/index', 'vue/index', 'svelte/index', 'angular/index', 'vue/checks', 'svelte/checks', 'angular/checks']

export default {
  base: './',
  plugins: [
    vue({ template: { compilerOptions: { isCustomElement: (tag) => tag.startsWith('countersign-') } } }),
    svelte(),
  ],
  build: {
    target: 'es2022',
    rolldownOptions: { input: PAGES.map((name) => `${name}.html`) },
  },
}
