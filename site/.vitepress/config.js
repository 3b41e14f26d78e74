// The site of README.md, docs, and the pages that they lead to, as they are in the repository.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitepress';
import { drawDiagrams } from './diagrams.js';
import { address, linksOfTheSite } from './links.js';
import { root } from './repository.js';

const read = (file) => readFileSync(join(root, file), 'utf8');
const pom = read('pom.xml');
const ofProject = (property) => pom.match(`<${property}>(.*?)</${property}>`)?.[1] ?? '';
const repository = ofProject('repository.url');
const icon = read('demo/src/main/resources/io/stampedeguard/demo/serve/web/page/icon.svg');
const base = process.env.SITE_BASE ?? '/';

const pagesIn = (folder) =>
    readdirSync(join(root, folder), { recursive: true })
        .filter((file) => /^(?!.*\btarget\/).*\.md$/.test(file))
        .map((file) => join(folder, file));
const capitalized = (text) => text[0].toUpperCase() + text.slice(1);
const item = (file, text) => ({ text, link: `/${address(file).replace(/index\.md$/, '')}` });
const listed = new Set();

/** The pages by intention, as README.md ends; below the page of a folder, all others in it, if there are some. */
function sidebar() {
    const [, intentions] = read('README.md').split('\n## I want to …\n');
    return [...intentions.matchAll(/^- \*\*(.+?):\*\* (.+)$/gm)].map(([, intention, links]) => ({
        text: capitalized(intention),
        items: [...links.matchAll(/\[([^\]]+)]\(([^)]+\.md)\)/g)].map(([, text, file]) => ({
            ...item(file, capitalized(text)),
            ...below(file),
        })),
    }));
}

function below(file) {
    listed.add(file);
    if (!file.endsWith('/README.md')) {
        return {};
    }
    const others = pagesIn(dirname(file)).filter((page) => page !== file);
    if (others.length === 0) {
        return {};
    }
    others.forEach((page) => listed.add(page));
    return { collapsed: true, items: others.sort().map((page) => item(page, read(page).match(/^# (.+)$/m)[1])) };
}

const groups = sidebar();
const pages = [...readdirSync(root).filter((file) => file.endsWith('.md')), ...pagesIn('docs'), ...pagesIn('examples')];
const forgotten = pages.filter((page) => page !== 'README.md' && !listed.has(page));
if (forgotten.length > 0) {
    throw new Error(`The last list of README.md lacks ${forgotten.join(', ')}`);
}

export default defineConfig({
    title: ofProject('name'),
    description: ofProject('description'),
    lang: 'en',
    base,
    srcDir: root,
    srcExclude: ['**/target/**'],
    outDir: join(root, 'target/site'),
    cacheDir: join(root, 'target/site-cache'),
    rewrites: address,
    head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(icon)}` }]],
    markdown: {
        html: false,
        attrs: { disable: true },
        languageAlias: { promql: 'python' },
        anchor: { slugify: anchorOfGitHub },
        config(md) {
            md.disable('emoji');
            md.use(linksOfTheSite, { base, repository });
            md.use(drawDiagrams);
        },
    },
    themeConfig: {
        search: {
            provider: 'local',
            // Its sections are long, and would come first.
            options: { miniSearch: { searchOptions: { boostDocument: (id) => (id.includes('CHANGELOG') ? 0.1 : 1) } } },
        },
        nav: [
            { text: 'Javadoc', link: '/javadoc/index.html', target: '_self' },
            { text: ofProject('version'), link: '/CHANGELOG.html' },
        ],
        sidebar: groups,
        outline: [2, 3],
        socialLinks: repository ? [{ icon: 'github', link: repository }] : undefined,
        editLink: repository ? { pattern: `${repository}/edit/main/:path` } : undefined,
    },
    vite: { plugins: [vueOfTheSite()] },
});

/** Letters, digits, hyphens, and underscores in lower case, a hyphen for each space, as PageLinksTest checks. */
function anchorOfGitHub(heading) {
    return heading
        .toLowerCase()
        .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
        .replaceAll(' ', '-');
}

/** No node_modules are above the pages: what renders them in the build takes Vue from where it runs, which is here. */
function vueOfTheSite() {
    return {
        name: 'vue-of-the-site',
        enforce: 'pre',
        resolveId(id, importer, { ssr }) {
            return ssr && /^vue(\/|$)/.test(id) ? { id, external: true } : undefined;
        },
    };
}
