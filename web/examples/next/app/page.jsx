// SPDX-License-Identifier: MIT
import { Digits } from './digits.jsx';

export default function Page() {
  return <main><Digits /></main>;
}
