/**
 * What every validators module carries, written out in it: a module of validators imports nothing.
 */

/** The helper functions; the compiler's output calls them by these names. */
export const RUNTIME = `const K=(c,p,k,a)=>c===undefined||(c.found.push({instanceLocation:p,keyword:k,message:M(k,a)}),!c.all);
const G=(v,k)=>Object.hasOwn(v,k)?v[k]:undefined;
const T=k=>k.replaceAll("~","~0").replaceAll("/","~1");
const L=s=>{let n=s.length;for(let i=1;i<s.length;i++)if((s.charCodeAt(i)&64512)===56320&&(s.charCodeAt(i-1)&64512)===55296)n--;return n};
const Q=(a,b)=>{if(a===b)return!0;if(typeof a!=="object"||typeof b!=="object"||a===null||b===null||Array.isArray(a)!==Array.isArray(b))return!1;
const k=Object.keys(a).filter(x=>a[x]!==undefined);return k.length===Object.keys(b).length&&k.every(x=>Object.hasOwn(b,x)&&Q(a[x],b[x]))};
const J=a=>a.map(x=>JSON.stringify(x)).join(", ");
const M=(k,a)=>{switch(k){
case"type":return"must be "+a;
case"required":return"must have the member "+JSON.stringify(a);
case"dependentRequired":return"must have the member "+JSON.stringify(a[1])+" beside "+JSON.stringify(a[0]);
case"enum":return"must be one of "+J(a);
case"const":return"must be "+JSON.stringify(a);
case"pattern":return"must match "+a;
case"minimum":return"must be at least "+a;
case"maximum":return"must be at most "+a;
case"minLength":return"must have at least "+a+" characters";
case"maxLength":return"must have at most "+a+" characters";
case"minItems":return"must have at least "+a+" elements";
case"maxItems":return"must have at most "+a+" elements";
case"depth":return"must nest at most "+a+" levels deep";
default:return a===null?"must match "+(k==="oneOf"?"exactly":"at least")+" one of its shapes":"must be one of "+J(a)}};
const E=(f,v,o)=>{const c={found:[],all:o?.all===true};f(v,c,"",0);return c.found};
`;
