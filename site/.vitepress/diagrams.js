import { renderMermaidSVG } from 'beautiful-mermaid';

const COLORS = { bg: 'var(--vp-c-bg)', fg: 'var(--vp-c-text-1)', muted: 'var(--vp-c-text-2)', transparent: true };

/** Blocks of Mermaid become pictures in the page, in its colors. */
export function drawDiagrams(md) {
    const fence = md.renderer.rules.fence;
    md.renderer.rules.fence = (tokens, i, ...rest) => {
        if (tokens[i].info.trim() !== 'mermaid') {
            return fence(tokens, i, ...rest);
        }
        // The font that it imports from another server is the one of the page.
        const picture = renderMermaidSVG(tokens[i].content, COLORS).replace(/^\s*@import .*$/gm, '');
        return `<div class="diagram" v-html="${md.utils.escapeHtml(JSON.stringify(picture))}"></div>\n`;
    };
}
