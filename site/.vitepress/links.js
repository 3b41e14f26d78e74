import { statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { javadocOf } from './javadoc.js';
import { root } from './repository.js';

/** How README.md begins the address of a page of GitHub beside the files, such as the badge of its builds. */
const BESIDE_FILES = '../../';

/** Where the site has a page of the repository. */
export function address(page) {
    return page.replace(/^docs\//, '').replace(/README\.md$/, 'index.md');
}

/**
 * Links to pages lead to those of the site, links to other files to the repository, or nowhere as long as it has no
 * address. What the javadoc has leads there.
 */
export function linksOfTheSite(md, { base, repository }) {
    const javadoc = javadocOf(root);

    md.core.ruler.push('links_of_the_site', ({ tokens, env, Token }) => {
        const folder = dirname(relative(root, env.realPath ?? env.path));
        tokens.forEach((token, i) => {
            if (token.type === 'inline') {
                token.children = linked(token.children, folder, tokens[i - 1].type === 'heading_open', Token);
            }
        });
    });

    function linked(tokens, folder, isHeading, Token) {
        const links = [];
        return tokens.flatMap((token) => {
            if (token.type === 'link_open') {
                const href = onTheSite(token.attrGet('href'), folder);
                links.push(href);
                token.attrSet('href', href ?? '');
                return href === undefined ? [] : [token];
            }
            if (token.type === 'image' && join(folder, token.attrGet('src')).startsWith(BESIDE_FILES)) {
                token.attrSet('src', onTheSite(token.attrGet('src'), folder) ?? '');
                return token.attrGet('src') ? [token] : [];
            }
            if (token.type === 'link_close') {
                return links.pop() === undefined ? [] : [token];
            }
            const isText = !isHeading && links.length === 0;
            const page = isText && token.type === 'code_inline' ? javadoc(token.content) : undefined;
            if (page === undefined) {
                return [token];
            }
            const open = new Token('link_open', 'a', 1);
            open.attrs = [
                ['href', `${base}javadoc/${page}`],
                ['target', '_self'],
            ];
            return [open, token, new Token('link_close', 'a', -1)];
        });
    }

    function onTheSite(href, folder) {
        const [, path, anchor] = href.match(/^([^#]*)(.*)$/);
        if (path === '' || /^[a-z]+:/.test(path)) {
            return href;
        }
        const file = join(folder, path);
        if (file.startsWith(BESIDE_FILES)) {
            return repository ? `${repository}/${file.slice(BESIDE_FILES.length)}` : undefined;
        }
        if (file.endsWith('.md')) {
            return `/${address(file)}${anchor}`;
        }
        const kind = statSync(join(root, file)).isDirectory() ? 'tree' : 'blob';
        return repository ? `${repository}/${kind}/main/${file}` : undefined;
    }
}
