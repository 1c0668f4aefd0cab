// SPDX-License-Identifier: MIT
export const metadata = { title: 'nextpixel and Next', icons: 'data:,' };

export default function Layout({ children }) {
  return <html lang="en"><body>{children}</body></html>;
}
